package dev.komainu.organizer.page;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * What became of answers that nobody had asked for, since the start. All loops add, anybody reads.
 *
 * <p>At the end that pushes {@code PUSHED = whole + UNFIT + DECLINED + failed}; at the end that is
 * given them {@code TAKEN = used first + WASTED + purged + still here}, and {@code USED} counts
 * every request that was answered so.
 */
public final class PageCounts {

    /** What is counted. Of pushing: the first four; the others of being pushed to. */
    public enum Kind {
        /** Answers promised to a peer beside a page. */
        PUSHED,
        /** Bytes of their bodies, as far as they were sent. */
        PUSHED_BYTES,
        /**
         * Of those promised, not sent: the server's answer was not for everybody, too long, or an
         * error.
         */
        UNFIT,
        /** Of those promised, refused by the peer: it has them, or no room. */
        DECLINED,
        /**
         * Promises refused here: it is at hand already, there is no room, or the peer does not
         * serve it.
         */
        REFUSED,
        /** Answers that came whole without having been asked for. */
        TAKEN,
        /** Bytes of their bodies. */
        TAKEN_BYTES,
        /** Requests answered with them. */
        USED,
        /** Of these, those that came before the answer had come whole. */
        JOINED,
        /** Of those taken, nobody asked for within their life. */
        WASTED,
        /** Bytes of their bodies. */
        WASTED_BYTES,
        /** Of those taken or under way, dropped by a purge or a change. */
        PURGED,
        /** Files of what was learnt before that could not be read, and were left. */
        FILE_DAMAGED,
        /** Times what is learnt could not be written. */
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

    public void count(Kind kind, long much) {
        adder(kind).add(much);
    }

    private LongAdder adder(Kind kind) {
        LongAdder adder = kinds.get(kind);
        if (adder == null) {
            throw new IllegalStateException(kind.name());
        }
        return adder;
    }

    public long of(Kind kind) {
        return adder(kind).sum();
    }
}
