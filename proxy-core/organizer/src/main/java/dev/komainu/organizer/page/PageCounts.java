package dev.komainu.organizer.page;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of pushed responses since the start. Written by all loops, read by any thread.
 *
 * <p>On the pushing side {@code PUSHED = complete + UNFIT + DECLINED + failed}. On the receiving
 * side {@code TAKEN = used first + WASTED + purged + still stored}; {@code USED} counts every
 * request that was answered from the store.
 */
public final class PageCounts {

    /**
     * The counters. The first four belong to the pushing side, the others to the receiving side.
     */
    public enum Kind {
        /** Responses promised to a peer with a page. */
        PUSHED,
        /** Bytes of their bodies that were sent. */
        PUSHED_BYTES,
        /**
         * Promised and not sent: the server's response was not shareable, too long, or an error.
         */
        UNFIT,
        /** Promised and refused by the peer: it has the response already, or no space. */
        DECLINED,
        /**
         * Promises refused here: the response is stored already, there is no space, or the peer
         * does not serve the URL.
         */
        REFUSED,
        /** Pushes received completely. */
        TAKEN,
        /** Bytes of their bodies. */
        TAKEN_BYTES,
        /** Requests answered with a push. */
        USED,
        /** Of these, the requests that waited for a push still being received. */
        JOINED,
        /** Received pushes that no client requested before they left the store. */
        WASTED,
        /** Bytes of their bodies. */
        WASTED_BYTES,
        /** Received or arriving pushes removed by a purge or a change. */
        PURGED,
        /** Page files that could not be read and were ignored. */
        FILE_DAMAGED,
        /** Failed writes of the page file. */
        FILE_UNWRITTEN;

        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Map<Kind, LongAdder> kinds = new EnumMap<>(Kind.class);

    public PageCounts() {
        for (Kind kind : Kind.values()) {
            kinds.put(kind, new LongAdder());
        }
    }

    public void count(Kind kind) {
        count(kind, 1);
    }

    /** Adds an amount, at least 0, to a counter. Any thread. */
    public void count(Kind kind, long amount) {
        adder(kind).add(amount);
    }

    private LongAdder adder(Kind kind) {
        LongAdder adder = kinds.get(kind);
        if (adder == null) {
            throw new IllegalStateException(kind.name());
        }
        return adder;
    }

    /** Returns the count of one kind since the start. */
    public long of(Kind kind) {
        return adder(kind).sum();
    }
}
