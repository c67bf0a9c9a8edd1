package dev.komainu.organizer.route;

import dev.komainu.organizer.route.MemberForecast.Reach;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is to be expected of each member: what it reported last, and what happened here since.
 *
 * <p>A report counts what everybody sent to a member, up to its moment; between two reports only
 * what was begun and ended here is known, so that is added and subtracted. Safe for all threads; a
 * request takes two short locks of its member.
 *
 * <p>What a member takes for a request is known as well as it was asked of late:
 * {@value #CERTAIN_ANSWERS} answers, each of which counts half after {@value #HALF_LIFE_SECONDS} s.
 * So a member that was slow when it was asked last is asked again some day.
 *
 * <p>Whoever is new, or back, has a tenth of its share at first, and all of it after
 * {@value #EASING_SECONDS} s: its caches are empty and its code is not compiled, and nothing is
 * known of it that would hold requests back.
 */
public final class MemberForecasts {

    /** How a request to a member ended. */
    public enum Ending {
        /** It answered, whatever it said. */
        ANSWERED,
        /** It was not reached, or broke off: it rests. */
        UNREACHED,
        /** The asker gave up; that says nothing about the member. */
        GIVEN_UP
    }

    /** As many as {@link dev.komainu.organizer.server.LocalServer}'s moving mean remembers. */
    private static final int CERTAIN_ANSWERS = 8;

    private static final int HALF_LIFE_SECONDS = 10;
    private static final int EASING_SECONDS = 3;
    private static final double EASED_FROM = 0.1;
    /** Resting for less was a stumble, and nobody who is back. */
    private static final long STUMBLE_NANOS = 1_000_000_000L;

    private final LongSupplier nanoClock;
    private final Map<MemberId, Seen> members = new ConcurrentHashMap<>();

    /** Guarded by itself. */
    private static final class Seen {
        @Nullable
        MemberLoad report;

        final MemberDelay delay = new MemberDelay();
        /** Answers of its server that its service time stands on, as of the last report. */
        double answers;

        long reportedNanos;
        int ours;
        int oursAtReport;

        @Nullable
        Backoff backoff;

        long restsSinceNanos;
        /** When it came, or came back. */
        long sinceNanos;

        Seen(long nowNanos) {
            sinceNanos = nowNanos;
        }

        double share(long nowNanos) {
            double eased = (nowNanos - sinceNanos) / (EASING_SECONDS * 1e9);
            return eased >= 1 ? 1 : EASED_FROM + (1 - EASED_FROM) * Math.max(0, eased);
        }
    }

    /** @param nanoClock monotonic, as {@link System#nanoTime()} */
    public MemberForecasts(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    public MemberForecast of(MemberId member) {
        long now = nanoClock.getAsLong();
        Seen seen = seen(member);
        synchronized (seen) {
            Backoff backoff = seen.backoff;
            Reach reach = backoff == null
                    ? Reach.REACHED
                    : backoff.isDue(now) ? Reach.DUE : Reach.RESTING;
            MemberLoad report = seen.report;
            if (report == null) {
                return new MemberForecast(
                        seen.ours,
                        0,
                        0,
                        seen.delay.micros(),
                        ServerState.UP,
                        reach,
                        seen.share(now));
            }
            int since = seen.ours - seen.oursAtReport;
            return new MemberForecast(
                    Math.max(seen.ours, Math.max(0, report.inFlight() + since)),
                    report.serviceMicros(),
                    report.serviceMicros() == 0 ? 0 : Math.min(1, seen.answers / CERTAIN_ANSWERS),
                    seen.delay.micros(),
                    report.state(),
                    reach,
                    seen.share(now));
        }
    }

    /** A request goes to a member now. While that rests, it is the one that tries. */
    public void began(MemberId member) {
        Seen seen = seen(member);
        synchronized (seen) {
            seen.ours++;
            if (seen.backoff != null) {
                seen.backoff = seen.backoff.tried(nanoClock.getAsLong());
            }
        }
    }

    /** A request that began is over. */
    public void ended(MemberId member, Ending ending) {
        Seen seen = seen(member);
        synchronized (seen) {
            seen.ours = Math.max(0, seen.ours - 1);
            long now = nanoClock.getAsLong();
            Backoff backoff = seen.backoff;
            switch (ending) {
                case ANSWERED -> {
                    if (backoff != null && now - seen.restsSinceNanos >= STUMBLE_NANOS) {
                        seen.sinceNanos = now;
                    }
                    seen.backoff = null;
                }
                case UNREACHED -> {
                    if (backoff == null) {
                        seen.restsSinceNanos = now;
                        seen.backoff = Backoff.first(now);
                    } else {
                        seen.backoff = backoff.again(now);
                    }
                }
                case GIVEN_UP -> {}
            }
        }
    }

    /** What a member says of itself. Older than what is known, it changes nothing. */
    public void reported(MemberLoad report) {
        Seen seen = seen(report.member());
        synchronized (seen) {
            MemberLoad known = seen.report;
            if (known != null && !report.isNewerThan(known)) {
                return;
            }
            long now = nanoClock.getAsLong();
            boolean newLife = known != null && report.incarnation() != known.incarnation();
            if (newLife) {
                // What failed with the old one says nothing.
                seen.backoff = null;
            }
            if (newLife
                    || known != null
                            && known.state() == ServerState.STOPPED
                            && report.state() != ServerState.STOPPED) {
                seen.sinceNanos = now;
            }
            double left = known == null || newLife
                    ? 0
                    : seen.answers
                            * Math.pow(0.5, (now - seen.reportedNanos) / (HALF_LIFE_SECONDS * 1e9));
            long answered = report.served() - (known == null || newLife ? 0 : known.served());
            seen.answers = Math.min(CERTAIN_ANSWERS, left + Math.max(0, answered));
            seen.reportedNanos = now;
            seen.report = report;
            seen.oursAtReport = seen.ours;
        }
    }

    /**
     * A round trip to a member was measured. @return whether that is enough to know how far away it
     * is
     */
    public boolean measured(MemberId member, long micros) {
        Seen seen = seen(member);
        synchronized (seen) {
            seen.delay.measured(micros);
            return seen.delay.isKnown();
        }
    }

    /** What a member reported last; absent before. */
    public @Nullable MemberLoad report(MemberId member) {
        Seen seen = members.get(member);
        if (seen == null) {
            return null;
        }
        synchronized (seen) {
            return seen.report;
        }
    }

    /** Forgets all members but these. */
    public void keep(Collection<MemberId> present) {
        members.keySet().retainAll(present);
    }

    private Seen seen(MemberId member) {
        return members.computeIfAbsent(member, id -> new Seen(nanoClock.getAsLong()));
    }
}
