package dev.komainu.organizer.route;

import dev.komainu.organizer.route.Outlook.Reach;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is to be expected of each member: what it reported last, and what happened here since.
 *
 * <p>A report counts what everybody sent to a member, up to its moment; between two reports only what was begun and ended here is
 * known, so that is added and subtracted. Safe for all threads; a request takes two short locks of its member.
 */
public final class Outlooks {

    /** How a request to a member ended. */
    public enum Ending {
        /** It answered, whatever it said. */
        ANSWERED,
        /** It was not reached, or broke off: it rests. */
        UNREACHED,
        /** The asker gave up; that says nothing about the member. */
        GIVEN_UP
    }

    private final LongSupplier nanoClock;
    private final Map<MemberId, Seen> members = new ConcurrentHashMap<>();

    /** Guarded by itself. */
    private static final class Seen {
        @Nullable
        LoadReport report;

        long delayMicros;
        int ours;
        int oursAtReport;

        @Nullable
        Backoff backoff;
    }

    /** @param nanoClock monotonic, as {@link System#nanoTime()} */
    public Outlooks(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    public Outlook of(MemberId member) {
        Seen seen = members.get(member);
        if (seen == null) {
            return Outlook.UNKNOWN;
        }
        synchronized (seen) {
            Backoff backoff = seen.backoff;
            Reach reach =
                    backoff == null ? Reach.REACHED : backoff.isDue(nanoClock.getAsLong()) ? Reach.DUE : Reach.RESTING;
            LoadReport report = seen.report;
            if (report == null) {
                return new Outlook(seen.ours, 0, seen.delayMicros, ServerState.UP, reach);
            }
            int since = seen.ours - seen.oursAtReport;
            return new Outlook(
                    Math.max(seen.ours, Math.max(0, report.inFlight() + since)),
                    report.serviceMicros(),
                    seen.delayMicros,
                    report.state(),
                    reach);
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
            switch (ending) {
                case ANSWERED -> seen.backoff = null;
                case UNREACHED ->
                    seen.backoff = seen.backoff == null
                            ? Backoff.first(nanoClock.getAsLong())
                            : seen.backoff.again(nanoClock.getAsLong());
                case GIVEN_UP -> {}
            }
        }
    }

    /** What a member says of itself. Older than what is known, it changes nothing. */
    public void reported(LoadReport report) {
        Seen seen = seen(report.member());
        synchronized (seen) {
            LoadReport known = seen.report;
            if (known == null || report.isNewerThan(known)) {
                if (known != null && report.incarnation() != known.incarnation()) {
                    // A new life: what failed with the old one says nothing.
                    seen.backoff = null;
                }
                seen.report = report;
                seen.oursAtReport = seen.ours;
            }
        }
    }

    /** A round trip to a member was measured: a moving mean, an eighth of the new one (RFC 6298 section 2). */
    public void measured(MemberId member, long micros) {
        Seen seen = seen(member);
        synchronized (seen) {
            seen.delayMicros =
                    seen.delayMicros == 0 ? Math.max(1, micros) : Math.max(1, (7 * seen.delayMicros + micros) / 8);
        }
    }

    /** What a member reported last; absent before. */
    public @Nullable LoadReport report(MemberId member) {
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
        return members.computeIfAbsent(member, id -> new Seen());
    }
}
