package dev.komainu.organizer.member;

import dev.komainu.organizer.route.MemberId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happened in the cluster, as this member saw it: the last thousand, and how many of each kind
 * ever. Safe for all threads.
 */
public final class EventLog {

    /** Named as those who read it know it. */
    private static final Logger LOG = LoggerFactory.getLogger("cluster");

    private static final int MOST = 1000;
    /** A stranger who knocks a thousand times a second fills neither log nor memory. */
    private static final long SAME_AGAIN_MILLIS = 10_000;

    /** Kinds of events. */
    public enum Kind {
        /** A member is there. */
        JOINED,
        /** A member went, and said so. */
        LEFT,
        /** A member is gone, and did not say so: it crashed, or cannot be reached. */
        LOST,
        /** Parts of the cluster found each other. */
        MERGED,
        /** A member's routes, weights or draining changed. */
        ROUTES_CHANGED,
        /** A member's server came to another state. */
        SERVER_CHANGED,
        /** Members claim one prefix for different contents. */
        CONFLICT,
        /** No more. */
        CONFLICT_OVER,
        /** Two members have one name; the younger counts. */
        NAME_TWICE,
        /** A member comes and goes too often. */
        FLAPPING,
        /** No more. */
        FLAPPING_OVER,
        /** A line came to run over something else. */
        LINE_CHANGED,
        /** What somebody said was not believed: no grant, another's name, outside its grant. */
        REFUSED,
        /** Bytes that were no message. */
        MALFORMED;

        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * One of them.
     *
     * @param number counts from 1, without gaps
     * @param member absent: it is about no single one
     * @param text a sentence for people
     */
    public record Event(
            long number, long atMillis, Kind kind, @Nullable MemberId member, String text) {}

    private final LongSupplier wallMillis;
    // Guarded by this.
    private final ArrayDeque<Event> events = new ArrayDeque<>();
    private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
    private long number;
    private boolean hushed;

    public EventLog(LongSupplier wallMillis) {
        this.wallMillis = wallMillis;
    }

    /** It happened now. @param text a sentence for people */
    public synchronized void tell(Kind kind, @Nullable MemberId member, String text) {
        counts.merge(kind, 1L, Long::sum);
        long now = wallMillis.getAsLong();
        if (kind == Kind.REFUSED || kind == Kind.MALFORMED) {
            for (Event event : events) {
                if (event.kind() == kind
                        && event.text().equals(text)
                        && now - event.atMillis() < SAME_AGAIN_MILLIS) {
                    return;
                }
            }
        }
        events.addLast(new Event(++number, now, kind, member, text));
        if (events.size() > MOST) {
            events.removeFirst();
        }
        if (!hushed) {
            LOG.info("{}: {}", kind.text(), text);
        }
    }

    /**
     * What happens from now on is kept, and written down only with {@link #aloud}: a program that
     * starts greets first.
     */
    public synchronized void hush() {
        hushed = true;
    }

    /**
     * Writes down what was kept back, and what happens from now on. @param known kinds of which the
     * greeting told
     */
    public synchronized void aloud(Set<Kind> known) {
        if (hushed) {
            hushed = false;
            for (Event event : events) {
                if (!known.contains(event.kind())) {
                    LOG.info("{}: {}", event.kind().text(), event.text());
                }
            }
        }
    }

    /** Those after a number, oldest first; what is older than the last thousand is gone. */
    public synchronized List<Event> after(long seen) {
        List<Event> after = new ArrayList<>();
        for (Event event : events) {
            if (event.number() > seen) {
                after.add(event);
            }
        }
        return after;
    }

    /**
     * How many ever, by kind; each refusal and each malformed message counts, also where only the
     * first is told.
     */
    public synchronized Map<Kind, Long> counts() {
        return Map.copyOf(counts);
    }
}
