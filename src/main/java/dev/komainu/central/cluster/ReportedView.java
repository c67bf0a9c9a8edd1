package dev.komainu.central.cluster;

import dev.komainu.telemetry.record.ClusterView;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A member's newest view, and the one before, for rates.
 *
 * @param source who sent it
 * @param heard by our clock
 * @param digestSince since when it has told this digest, by our clock
 */
record ReportedView(
        String source,
        ClusterView view,
        @Nullable ClusterView before,
        Instant heard,
        Instant digestSince) {

    /** A view every second, and another second for each thirty members: as organizers do it. */
    private static final int MEMBERS_A_SECOND = 30;

    /** Batches wait a second before they are sent. */
    private static final int LATE_SECONDS = 3;

    ReportedView after(String sender, ClusterView next, Instant now) {
        boolean sameLife = next.startedMicros() == view.startedMicros();
        return new ReportedView(
                sender,
                next,
                sameLife ? view : null,
                now,
                sameLife && next.digest().equals(view.digest()) ? digestSince : now);
    }

    private Duration patience() {
        return Duration.ofSeconds(1 + view.members().size() / MEMBERS_A_SECOND + LATE_SECONDS);
    }

    /** Whether its member still reports: on a busy host a view or two may be late. */
    boolean isRecent(Instant now) {
        return Duration.between(heard, now).compareTo(patience().multipliedBy(3)) <= 0;
    }

    /** Whether it is about now. */
    boolean isFresh(Instant now) {
        return Duration.between(heard, now).compareTo(patience()) <= 0;
    }

    /**
     * Whether it has told the same digest for longer than a dead member's last view is fresh: two
     * such views of different digests are no change on its way from one to the other.
     */
    boolean isSettled(Instant now) {
        return Duration.between(digestSince, now).compareTo(patience().plusSeconds(1)) >= 0;
    }

    /** Between this view and the one before; absent: there is none. */
    @Nullable
    Double seconds() {
        ClusterView earlier = before;
        if (earlier == null || view.atMicros() <= earlier.atMicros()) {
            return null;
        }
        return (view.atMicros() - earlier.atMicros()) / 1e6;
    }
}
