package dev.komainu.central.audit;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The count of refused attempts, so that strangers cannot fill the audit log.
 *
 * <pre>
 *  attempt                                            row
 *  the first of a name, action and network            at once
 *  further ones in the minute after it                one row with their number, when it is over
 *  above the rows a day, or the names at a time       one row an hour for each action, "(others)"
 * </pre>
 *
 * <p>A network is an IPv4 address, or the first 64 bits of an IPv6 address, since one caller has
 * them all. Counts of the last minute are lost when the process is killed. Thread-safe.
 */
final class RefusedTally {

    /** The outcome of rows that are counted. */
    static final String REFUSED = "refused";

    /** The actor of the row for all attempts that have no row of their own. */
    static final String OTHERS = "(others)";

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final int MOST_NAMES = 256;
    private static final int MOST_ACTIONS = 16;

    private final int rowsADay;

    /** Attempts after the first, by name, action and network; guarded by this. */
    private final Map<Key, Count> counts = new HashMap<>();

    /** Attempts without a row of their own, by action; guarded by this. */
    private final Map<String, Count> others = new HashMap<>();

    private record Key(String actor, String action, String network) {}

    private record Count(Instant from, int attempts, AuditDraft last) {
        boolean isOver(Instant now, Duration length) {
            // A begin in the future: the clock was set back.
            return from.isAfter(now) || !from.plus(length).isAfter(now);
        }

        Count another(AuditDraft draft) {
            return new Count(from, attempts + 1, draft);
        }
    }

    RefusedTally(int rowsADay) {
        this.rowsADay = rowsADay;
    }

    /**
     * Reports whether the caller must write this attempt's row now; else it was counted.
     *
     * @param rowsSince returns the number of rows of refused attempts since an instant
     */
    synchronized boolean isWritten(
            AuditDraft draft, Instant now, ToIntFunction<Instant> rowsSince) {
        Key key = new Key(draft.actor(), draft.action(), network(draft.address()));
        Count count = counts.get(key);
        if (count != null) {
            counts.put(key, count.another(draft));
            return false;
        }
        // Each counted name may need one more row; this one needs two.
        if (counts.size() < MOST_NAMES
                && rowsSince.applyAsInt(now.minus(DAY)) + counts.size() + 2 <= rowsADay) {
            counts.put(key, new Count(now, 0, draft));
            return true;
        }
        String action = others.containsKey(draft.action()) || others.size() < MOST_ACTIONS
                ? draft.action()
                : "other";
        others.merge(action, new Count(now, 1, draft), (before, one) -> before.another(draft));
        return false;
    }

    /** Returns and removes the rows that are due. */
    synchronized List<AuditDraft> due(Instant now, boolean all) {
        List<AuditDraft> due = new ArrayList<>();
        for (Iterator<Count> each = counts.values().iterator(); each.hasNext(); ) {
            Count count = each.next();
            if (all || count.isOver(now, MINUTE)) {
                each.remove();
                if (count.attempts() > 0) {
                    due.add(count.last().attempts(count.attempts()));
                }
            }
        }
        for (Iterator<Map.Entry<String, Count>> each = others.entrySet().iterator();
                each.hasNext(); ) {
            Map.Entry<String, Count> entry = each.next();
            if (all || entry.getValue().isOver(now, HOUR)) {
                each.remove();
                AuditDraft last = entry.getValue().last();
                due.add(new AuditDraft(
                        OTHERS,
                        entry.getKey(),
                        "newest: " + last.actor(),
                        REFUSED,
                        entry.getValue().attempts(),
                        last.address(),
                        last.agent(),
                        null,
                        null));
            }
        }
        return due;
    }

    /** Returns the caller's network. A text that is no literal address is its own. */
    static String network(@Nullable String address) {
        if (address == null) {
            return "";
        }
        try {
            InetAddress literal = InetAddress.ofLiteral(address);
            if (literal instanceof Inet6Address) {
                byte[] bytes = literal.getAddress();
                java.util.Arrays.fill(bytes, 8, 16, (byte) 0);
                return InetAddress.getByAddress(bytes).getHostAddress() + "/64";
            }
            return literal.getHostAddress();
        } catch (IllegalArgumentException | java.net.UnknownHostException e) {
            return address;
        }
    }
}
