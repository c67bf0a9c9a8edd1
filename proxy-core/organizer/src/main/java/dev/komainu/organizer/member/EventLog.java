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
 * The events of the cluster as this member saw them: the last thousand, and counts by kind since
 * the start. Thread-safe.
 */
public final class EventLog {

    /** Logger name that operators know. */
    private static final Logger LOG = LoggerFactory.getLogger("cluster");

    private static final int MAX_EVENTS = 1000;
    /**
     * A repeated refusal is logged once in this time: a stranger that connects a thousand times a
     * second fills neither log nor memory.
     */
    private static final long SAME_AGAIN_MILLIS = 10_000;

    /** Kinds of events. */
    public enum Kind {
        /** A member joined. */
        JOINED,
        /** A member left, and announced it. */
        LEFT,
        /** A member was lost without an announcement: it crashed or is unreachable. */
        LOST,
        /** Parts of the cluster were merged. */
        MERGED,
        /** A member's routes, weights or draining changed. */
        ROUTES_CHANGED,
        /** A member's server changed its state. */
        SERVER_CHANGED,
        /** Members claim one prefix for different contents. */
        CONFLICT,
        /** A conflict ended. */
        CONFLICT_OVER,
        /** Two members have one name; the younger counts. */
        NAME_TWICE,
        /** A member joins and leaves too often. */
        FLAPPING,
        /** Flapping ended. */
        FLAPPING_OVER,
        /** A line changed its carrier. */
        LINE_CHANGED,
        /** A message was refused: no grant, another member's name, or outside its grant. */
        REFUSED,
        /** Received bytes are not a message. */
        MALFORMED;

        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /**
     * One event.
     *
     * @param number counts from 1, without gaps
     * @param member absent: the event concerns no single member
     * @param text a sentence for operators
     */
    public record Event(
            long number, long atMillis, Kind kind, @Nullable MemberId member, String text) {}

    private final LongSupplier wallMillis;
    // Guarded by this.
    private final ArrayDeque<Event> events = new ArrayDeque<>();
    private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
    private long number;
    private boolean isDeferred;

    public EventLog(LongSupplier wallMillis) {
        this.wallMillis = wallMillis;
    }

    /**
     * Adds an event of the current time.
     *
     * @param text a sentence for operators
     */
    public synchronized void add(Kind kind, @Nullable MemberId member, String text) {
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
        if (events.size() > MAX_EVENTS) {
            events.removeFirst();
        }
        if (!isDeferred) {
            LOG.info("{}: {}", kind.text(), text);
        }
    }

    /**
     * Stores events, but does not log them until {@link #startLogging}: the start message of the
     * program comes first.
     */
    public synchronized void deferLogging() {
        isDeferred = true;
    }

    /**
     * Logs the stored events, and starts to log new ones.
     *
     * @param known kinds that the start message has reported already
     */
    public synchronized void startLogging(Set<Kind> known) {
        if (isDeferred) {
            isDeferred = false;
            for (Event event : events) {
                if (!known.contains(event.kind())) {
                    LOG.info("{}: {}", event.kind().text(), event.text());
                }
            }
        }
    }

    /** Returns the events after a number, oldest first. Only the last thousand are stored. */
    public synchronized List<Event> after(long lastNumber) {
        List<Event> after = new ArrayList<>();
        for (Event event : events) {
            if (event.number() > lastNumber) {
                after.add(event);
            }
        }
        return after;
    }

    /**
     * Returns the counts since the start, by kind. Every refusal and every malformed message
     * counts, also where only the first is logged.
     */
    public synchronized Map<Kind, Long> counts() {
        return Map.copyOf(counts);
    }
}
