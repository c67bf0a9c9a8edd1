package dev.komainu.proxy.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledUnsafeDirectByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The only place bodies are kept: direct memory of a fixed size, taken slab by slab as it is first needed and never
 * given back. What does not fit is not stored; nothing is ever allocated beside it, so the cap holds whatever readers do.
 *
 * <p>Bodies vary in size, so a slab hands out runs of {@value Slab#UNIT}-byte units rather than fixed entries (tmproxy's
 * were 15 KB). A run goes back when the last reference to its buffer does. Taking and giving back lock this object:
 * both happen once per stored object, never on a hit.
 */
public final class BodyMemory {

    private static final int SLAB_BYTES = 16 << 20;

    private final long capacity;
    // Guarded by this.
    private final List<Slab> slabs = new ArrayList<>();
    private long reserved;
    private long used;

    /** @param capacity bytes, at least one unit */
    public BodyMemory(long capacity) {
        this.capacity = capacity / Slab.UNIT * Slab.UNIT;
    }

    /** Longest run there can be. */
    public int longestRun() {
        return (int) Math.min(SLAB_BYTES, capacity);
    }

    public long capacity() {
        return capacity;
    }

    /** Bytes in runs now: stored, being filled, or evicted and still being sent. */
    public synchronized long used() {
        return used;
    }

    /** An empty buffer of this capacity with one reference; absent when there is no room for it. */
    public synchronized @Nullable ByteBuf take(int bytes) {
        int units = Math.max(1, (bytes + Slab.UNIT - 1) / Slab.UNIT);
        for (Slab slab : slabs) {
            int at = slab.take(units);
            if (at >= 0) {
                return run(slab, at, units, bytes);
            }
        }
        int size = (int) Math.min(SLAB_BYTES, capacity - reserved);
        if ((long) units * Slab.UNIT > size) {
            return null;
        }
        Slab slab = new Slab(size);
        slabs.add(slab);
        reserved += size;
        return run(slab, slab.take(units), units, bytes);
    }

    private ByteBuf run(Slab slab, int at, int units, int bytes) {
        used += (long) units * Slab.UNIT;
        return new Run(slab, at, units, bytes);
    }

    private synchronized void give(Slab slab, int at, int units) {
        slab.give(at, units);
        used -= (long) units * Slab.UNIT;
    }

    /** Bytes charged for a buffer from {@link #take}. */
    static long charged(ByteBuf run) {
        return run.unwrap() instanceof Run inner
                ? inner.charge()
                : run instanceof Run own ? own.charge() : run.capacity();
    }

    /** Gives back the units behind what was written, when a body turned out shorter than its run. */
    public void trim(ByteBuf run) {
        if (run instanceof Run own) {
            own.trim();
        }
    }

    private final class Run extends UnpooledUnsafeDirectByteBuf {
        private final Slab slab;
        private final int at;
        private int units;

        Run(Slab slab, int at, int units, int bytes) {
            super(UnpooledByteBufAllocator.DEFAULT, slab.view(at, bytes), bytes);
            this.slab = slab;
            this.at = at;
            this.units = units;
            clear();
        }

        long charge() {
            return (long) units * Slab.UNIT;
        }

        void trim() {
            int needed = Math.max(1, (writerIndex() + Slab.UNIT - 1) / Slab.UNIT);
            if (needed < units) {
                int surplus = units - needed;
                units = needed;
                give(slab, at + needed, surplus);
            }
        }

        @Override
        protected void deallocate() {
            super.deallocate();
            give(slab, at, units);
        }
    }

    /**
     * A stretch of memory cut into units. Free runs are held in lists by size class, four classes to each doubling; a run
     * is taken from a class in which every member is long enough, and joined with its free neighbours when it returns.
     */
    static final class Slab {

        static final int UNIT = 512;
        private static final int CLASSES = 64;
        private static final int NONE = -1;

        private final ByteBuffer memory;
        /** Length of the free run beginning, or ending, at this unit; 0 elsewhere and in taken runs. */
        private final int[] free;

        private final int[] next;
        private final int[] previous;
        private final int[] first = new int[CLASSES];

        Slab(int bytes) {
            memory = ByteBuffer.allocateDirect(bytes);
            int units = bytes / UNIT;
            free = new int[units];
            next = new int[units];
            previous = new int[units];
            java.util.Arrays.fill(first, NONE);
            link(0, units);
        }

        ByteBuffer view(int at, int bytes) {
            return memory.slice(at * UNIT, bytes);
        }

        /** @return the first unit, or -1 */
        int take(int units) {
            int own = sizeClass(units);
            // The class the size falls into may hold runs a little too short: look at each of a few, then go up.
            int tries = 8;
            for (int run = first[own]; run != NONE && tries-- > 0; run = next[run]) {
                if (free[run] >= units) {
                    return carve(run, units);
                }
            }
            for (int c = own + 1; c < CLASSES; c++) {
                if (first[c] != NONE) {
                    return carve(first[c], units);
                }
            }
            return NONE;
        }

        private int carve(int run, int units) {
            int length = free[run];
            unlink(run, length);
            if (length > units) {
                link(run + units, length - units);
            }
            return run;
        }

        void give(int at, int units) {
            int from = at;
            int length = units;
            int after = at + units;
            if (after < free.length && free[after] > 0) {
                int more = free[after];
                unlink(after, more);
                length += more;
            }
            if (at > 0 && free[at - 1] > 0) {
                int more = free[at - 1];
                from = at - more;
                unlink(from, more);
                length += more;
            }
            link(from, length);
        }

        private void link(int run, int length) {
            free[run] = length;
            free[run + length - 1] = length;
            int c = sizeClass(length);
            next[run] = first[c];
            previous[run] = NONE;
            if (first[c] != NONE) {
                previous[first[c]] = run;
            }
            first[c] = run;
        }

        private void unlink(int run, int length) {
            free[run] = 0;
            free[run + length - 1] = 0;
            if (previous[run] == NONE) {
                first[sizeClass(length)] = next[run];
            } else {
                next[previous[run]] = next[run];
            }
            if (next[run] != NONE) {
                previous[next[run]] = previous[run];
            }
        }

        private static int sizeClass(int units) {
            int log = 31 - Integer.numberOfLeadingZeros(units);
            int quarter = log < 2 ? 0 : (units >> (log - 2)) & 3;
            return Math.min(CLASSES - 1, log * 4 + quarter);
        }
    }
}
