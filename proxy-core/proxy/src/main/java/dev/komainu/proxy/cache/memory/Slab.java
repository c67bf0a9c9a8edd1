package dev.komainu.proxy.cache.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A block of direct memory cut into units of {@value #UNIT} bytes and allocated in runs of units.
 * Guarded by its {@link BodyMemory}.
 *
 * <p>The bookkeeping lies in the free runs, so it costs no allocated memory: the boundary tags of
 * Knuth (The Art of Computer Programming, volume 1, section 2.5, algorithm C), with the tags' flags
 * in a table of one bit for each unit.
 *
 * <pre>
 *   free run:   | length, next, previous …|     …     | length … |    int, first unit; int, last unit
 *   edges:          1       0  0  0  0  0  0  0             1         bit for each unit; 0 in all allocated ones
 * </pre>
 *
 * Free runs are in lists by size class, four classes to each doubling. A run is allocated from a
 * class in which every member is long enough, and joined with its free neighbours when it is freed.
 */
final class Slab {

    static final int UNIT = 128;

    private static final int CLASSES = 128;
    private static final int NONE = -1;
    private static final int PAGE = 4096;
    private static final int NEXT = 4;
    private static final int PREVIOUS = 8;
    /**
     * Number of runs checked in the class of the size itself, because some of them are slightly too
     * short.
     */
    private static final int TRIES = 8;

    final ByteBuf whole;
    final BodyMemory owner;
    private final ByteBuffer memory;
    private final int units;
    private final long[] edges;
    private final int[] first = new int[CLASSES];
    /** Classes that have members, one bit for each. */
    private final long[] filled = new long[CLASSES / 64];

    /**
     * Obtains the slab from the system. Its pages are not resident before they are written.
     *
     * @param bytes a multiple of {@link #UNIT}
     */
    Slab(BodyMemory owner, int bytes) {
        this.owner = owner;
        memory = UntouchedMemory.allocate(bytes).order(ByteOrder.nativeOrder());
        whole = Unpooled.wrappedBuffer(memory);
        units = bytes / UNIT;
        edges = new long[(units + 63) / 64];
        Arrays.fill(first, NONE);
        link(0, units);
    }

    /**
     * Makes all pages resident, before the first allocation. Takes about 0.3 s for each GB. Writes
     * to the end of units, where a free run has no bookkeeping.
     */
    void touch() {
        for (int page = 0; page < units * UNIT; page += PAGE) {
            memory.put(page + UNIT - 1, (byte) 0);
        }
    }

    void put(int index, byte[] bytes) {
        memory.put(index, bytes);
    }

    /** Writes bytes; the source's position stays. Thread-safe beside other uses of the slab. */
    void put(int index, ByteBuffer bytes) {
        memory.put(index, bytes, bytes.position(), bytes.remaining());
    }

    void get(int index, byte[] to, int length) {
        memory.get(index, to, 0, length);
    }

    static int units(int bytes) {
        return Math.max(1, (bytes + UNIT - 1) / UNIT);
    }

    /** Allocates a run of units. Returns its first unit, or -1 when none is long enough. */
    int allocate(int count) {
        int ownClass = sizeClass(count);
        int tries = TRIES;
        for (int run = first[ownClass]; run != NONE && tries-- > 0; run = next(run)) {
            if (length(run) >= count) {
                return split(run, count);
            }
        }
        int c = nextFilled(ownClass + 1);
        return c == NONE ? NONE : split(first[c], count);
    }

    /**
     * Returns the units of the longest free run, estimated by its class: at most the true length,
     * at least three quarters of it.
     */
    int longestFree() {
        for (int word = filled.length - 1; word >= 0; word--) {
            if (filled[word] != 0) {
                return length(first[word * 64 + 63 - Long.numberOfLeadingZeros(filled[word])]);
            }
        }
        return 0;
    }

    private int nextFilled(int from) {
        for (int word = from / 64; word < filled.length; word++) {
            long bits = word == from / 64 ? filled[word] & -1L << from : filled[word];
            if (bits != 0) {
                return word * 64 + Long.numberOfTrailingZeros(bits);
            }
        }
        return NONE;
    }

    private int split(int run, int count) {
        int length = length(run);
        unlink(run, length);
        if (length > count) {
            link(run + count, length - count);
        }
        return run;
    }

    void free(int start, int count) {
        int from = start;
        int length = count;
        int after = start + count;
        if (after < units && isEdge(after)) {
            int neighbour = length(after);
            unlink(after, neighbour);
            length += neighbour;
        }
        if (start > 0 && isEdge(start - 1)) {
            int neighbour = length(start - 1);
            from = start - neighbour;
            unlink(from, neighbour);
            length += neighbour;
        }
        link(from, length);
    }

    private void link(int run, int length) {
        int last = run + length - 1;
        edges[run >> 6] |= 1L << run;
        edges[last >> 6] |= 1L << last;
        memory.putInt(last * UNIT, length);
        memory.putInt(run * UNIT, length);
        int c = sizeClass(length);
        memory.putInt(run * UNIT + NEXT, first[c]);
        memory.putInt(run * UNIT + PREVIOUS, NONE);
        if (first[c] != NONE) {
            memory.putInt(first[c] * UNIT + PREVIOUS, run);
        }
        first[c] = run;
        filled[c >> 6] |= 1L << c;
    }

    private void unlink(int run, int length) {
        int last = run + length - 1;
        edges[run >> 6] &= ~(1L << run);
        edges[last >> 6] &= ~(1L << last);
        int next = next(run);
        int previous = memory.getInt(run * UNIT + PREVIOUS);
        if (previous == NONE) {
            int c = sizeClass(length);
            first[c] = next;
            if (next == NONE) {
                filled[c >> 6] &= ~(1L << c);
            }
        } else {
            memory.putInt(previous * UNIT + NEXT, next);
        }
        if (next != NONE) {
            memory.putInt(next * UNIT + PREVIOUS, previous);
        }
    }

    private boolean isEdge(int unit) {
        return (edges[unit >> 6] & 1L << unit) != 0;
    }

    private int length(int edge) {
        return memory.getInt(edge * UNIT);
    }

    private int next(int run) {
        return memory.getInt(run * UNIT + NEXT);
    }

    private static int sizeClass(int units) {
        if (units < 8) {
            return units;
        }
        int log = 31 - Integer.numberOfLeadingZeros(units);
        return log * 4 + ((units >> (log - 2)) & 3) - 4;
    }
}
