package dev.komainu.central.cluster;

import dev.komainu.telemetry.record.ClusterView;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A member's newest view, and the one before, for rates.
 *
 * @param source source that sent it
 * @param heard time of arrival by this service's clock
 * @param digestSince time since which it has reported this digest, by this service's clock
 */
record ReportedView(
        String source,
        ClusterView view,
        @Nullable ClusterView before,
        Instant heard,
        Instant digestSince) {

    /**
     * Members for each additional second between two views, as organizers do it; up to here there
     * is one view a second.
     */
    private static final int MEMBERS_A_SECOND = 30;

    /** Seconds that a batch may wait before it is sent. */
    private static final int LATE_SECONDS = 3;

    ReportedView after(String sender, ClusterView next, Instant now) {
        boolean sameRun = next.startedMicros() == view.startedMicros();
        return new ReportedView(
                sender,
                next,
                sameRun ? view : null,
                now,
                sameRun && next.routing().digest().equals(view.routing().digest())
                        ? digestSince
                        : now);
    }

    private Duration patience() {
        return Duration.ofSeconds(
                1 + view.peers().members().size() / MEMBERS_A_SECOND + LATE_SECONDS);
    }

    /** Reports whether its member still reports: on a busy host a view or two may be late. */
    boolean isRecent(Instant now) {
        return Duration.between(heard, now).compareTo(patience().multipliedBy(3)) <= 0;
    }

    /** Reports whether the view is recent enough to describe the present. */
    boolean isFresh(Instant now) {
        return Duration.between(heard, now).compareTo(patience()) <= 0;
    }

    /**
     * Reports whether it has had the same digest for longer than a dead member's last view is
     * fresh: two such views of different digests are not a change in progress.
     */
    boolean isSettled(Instant now) {
        return Duration.between(digestSince, now).compareTo(patience().plusSeconds(1)) >= 0;
    }

    /** Returns the seconds between this view and the one before; absent when there is none. */
    @Nullable
    Double seconds() {
        ClusterView earlier = before;
        if (earlier == null || view.atMicros() <= earlier.atMicros()) {
            return null;
        }
        return (view.atMicros() - earlier.atMicros()) / 1e6;
    }
}
