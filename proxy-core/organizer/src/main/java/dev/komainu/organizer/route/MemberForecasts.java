package dev.komainu.organizer.route;

import dev.komainu.organizer.route.MemberForecast.Reach;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The forecasts of all members, from their last reports and from the local requests since.
 *
 * <p>A report counts the requests of all clients up to its moment. Between two reports only the
 * local starts and ends are known, so these are added and subtracted. Thread-safe; a request takes
 * two short locks of its member.
 *
 * <p>The service time of a member is certain after {@value #CERTAIN_RESPONSES} responses; each
 * response counts half after {@value #HALF_LIFE_SECONDS} s. So a member that was slow at its last
 * request is tried again later.
 *
 * <p>A member that is new or has returned receives a tenth of its share at first, and all of it
 * after {@value #EASING_SECONDS} s: its caches are empty, its code is not compiled, and no known
 * value would limit its requests.
 */
public final class MemberForecasts {

    /** The end of a request to a member. */
    public enum Ending {
        /** The member responded, with any status. */
        ANSWERED,
        /** The member was not reached, or broke off: its back-off starts. */
        UNREACHED,
        /** The request was cancelled by the client; it does not count for or against the member. */
        GIVEN_UP
    }

    /**
     * The number of responses that the moving mean of
     * {@link dev.komainu.organizer.server.LocalServer} covers.
     */
    private static final int CERTAIN_RESPONSES = 8;

    private static final int HALF_LIFE_SECONDS = 10;
    private static final int EASING_SECONDS = 3;
    private static final double INITIAL_SHARE = 0.1;
    /** A shorter back-off was a short failure; the member does not count as returned. */
    private static final long SHORT_FAILURE_NANOS = 1_000_000_000L;

    private final LongSupplier nanoClock;
    private final Map<MemberId, MemberState> members = new ConcurrentHashMap<>();

    /** The state of one member. Guarded by itself. */
    private static final class MemberState {
        @Nullable
        MemberLoad report;

        final MemberDelay delay = new MemberDelay();
        /** Responses on which the service time of the last report is based. */
        double responses;

        long reportedNanos;
        int localInFlight;
        int localInFlightAtReport;

        @Nullable
        Backoff backoff;

        long backoffSinceNanos;
        /** When the member joined or returned. */
        long presentSinceNanos;

        MemberState(long nowNanos) {
            presentSinceNanos = nowNanos;
        }

        double share(long nowNanos) {
            double eased = (nowNanos - presentSinceNanos) / (EASING_SECONDS * 1e9);
            return eased >= 1 ? 1 : INITIAL_SHARE + (1 - INITIAL_SHARE) * Math.max(0, eased);
        }
    }

    /**
     * Creates empty forecasts.
     *
     * @param nanoClock monotonic, as {@link System#nanoTime()}
     */
    public MemberForecasts(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /**
     * Returns the current forecast of a member. A member without a report counts as up, with
     * unknown values.
     */
    public MemberForecast of(MemberId member) {
        long now = nanoClock.getAsLong();
        MemberState state = state(member);
        synchronized (state) {
            Backoff backoff = state.backoff;
            Reach reach = backoff == null
                    ? Reach.REACHED
                    : backoff.isDue(now) ? Reach.DUE : Reach.RESTING;
            MemberLoad report = state.report;
            if (report == null) {
                return new MemberForecast(
                        state.localInFlight,
                        0,
                        0,
                        state.delay.micros(),
                        ServerState.UP,
                        reach,
                        state.share(now));
            }
            int since = state.localInFlight - state.localInFlightAtReport;
            return new MemberForecast(
                    Math.max(state.localInFlight, Math.max(0, report.inFlight() + since)),
                    report.serviceMicros(),
                    report.serviceMicros() == 0
                            ? 0
                            : Math.min(1, state.responses / CERTAIN_RESPONSES),
                    state.delay.micros(),
                    report.state(),
                    reach,
                    state.share(now));
        }
    }

    /**
     * Records that a request is sent to a member. During a back-off this request is the attempt.
     */
    public void started(MemberId member) {
        MemberState state = state(member);
        synchronized (state) {
            state.localInFlight++;
            if (state.backoff != null) {
                state.backoff = state.backoff.attempted(nanoClock.getAsLong());
            }
        }
    }

    /** Records the end of a request. */
    public void ended(MemberId member, Ending ending) {
        MemberState state = state(member);
        synchronized (state) {
            state.localInFlight = Math.max(0, state.localInFlight - 1);
            long now = nanoClock.getAsLong();
            Backoff backoff = state.backoff;
            switch (ending) {
                case ANSWERED -> {
                    if (backoff != null && now - state.backoffSinceNanos >= SHORT_FAILURE_NANOS) {
                        state.presentSinceNanos = now;
                    }
                    state.backoff = null;
                }
                case UNREACHED -> {
                    if (backoff == null) {
                        state.backoffSinceNanos = now;
                        state.backoff = Backoff.first(now);
                    } else {
                        state.backoff = backoff.failedAgain(now);
                    }
                }
                case GIVEN_UP -> {}
            }
        }
    }

    /** Records a report of a member. A report older than the known one is ignored. */
    public void reported(MemberLoad report) {
        MemberState state = state(report.member());
        synchronized (state) {
            MemberLoad known = state.report;
            if (known != null && !report.isNewerThan(known)) {
                return;
            }
            long now = nanoClock.getAsLong();
            boolean restarted = known != null && report.incarnation() != known.incarnation();
            if (restarted) {
                // Failures of the old process do not apply to the new one.
                state.backoff = null;
            }
            if (restarted
                    || (known != null
                            && known.state() == ServerState.STOPPED
                            && report.state() != ServerState.STOPPED)) {
                state.presentSinceNanos = now;
            }
            double remaining = known == null || restarted
                    ? 0
                    : state.responses
                            * Math.pow(
                                    0.5, (now - state.reportedNanos) / (HALF_LIFE_SECONDS * 1e9));
            long answered = report.served() - (known == null || restarted ? 0 : known.served());
            state.responses = Math.min(CERTAIN_RESPONSES, remaining + Math.max(0, answered));
            state.reportedNanos = now;
            state.report = report;
            state.localInFlightAtReport = state.localInFlight;
        }
    }

    /** Records a measured round trip to a member and reports whether the delay is known now. */
    public boolean measured(MemberId member, long micros) {
        MemberState state = state(member);
        synchronized (state) {
            state.delay.measured(micros);
            return state.delay.isKnown();
        }
    }

    /** Returns the last report of a member; null before the first. */
    public @Nullable MemberLoad report(MemberId member) {
        MemberState state = members.get(member);
        if (state == null) {
            return null;
        }
        synchronized (state) {
            return state.report;
        }
    }

    /** Forgets all other members. */
    public void retain(Collection<MemberId> present) {
        members.keySet().retainAll(present);
    }

    private MemberState state(MemberId member) {
        return members.computeIfAbsent(member, id -> new MemberState(nanoClock.getAsLong()));
    }
}
