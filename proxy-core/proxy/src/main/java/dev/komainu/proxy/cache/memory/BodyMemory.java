package dev.komainu.proxy.cache.memory;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only place bodies are kept: direct memory of a bounded size, had from the system slab by
 * slab, at the start ({@link #reserveAll}) or as it is first needed, and never given back. What
 * does not fit is not stored; nothing is ever allocated beside it, so the cap holds whatever
 * readers do.
 *
 * <p>Bodies vary in size, so a slab hands out runs of {@value Slab#UNIT}-byte units rather than
 * fixed entries (tmproxy's were 15 KB). A run goes back when the last reference to its buffer does.
 * Taking and giving back lock this object: both happen once per stored object, never on a hit.
 */
public final class BodyMemory {

    private static final Logger LOG = LoggerFactory.getLogger(BodyMemory.class);

    /**
     * A slab is about an eighth of the whole: few enough to look through, small enough to come one
     * by one.
     */
    private static final int LEAST_SLAB = 1 << 20;

    private static final int LARGEST_SLAB = 1 << 30;

    private final long capacity;
    private final int slabBytes;
    private final SlabSource system;
    // Guarded by this.
    private final List<Slab> slabs = new ArrayList<>();
    /** Where room was found last: with many slabs the first are mostly full. */
    private int recent;

    private long reserved;
    private long used;
    /** The system refused a slab: it is not asked again, the slabs there are go on. */
    private volatile boolean denied;
    /** Bytes of slabs that the system is clearing for {@link #reserveAll}. */
    private long coming;

    /** Where slabs of so many bytes come from; it may throw OutOfMemoryError. */
    interface SlabSource {
        Slab take(BodyMemory owner, int bytes);
    }

    /** @param capacity bytes, at least one unit */
    public BodyMemory(long capacity) {
        this(capacity, Slab::new);
    }

    BodyMemory(long capacity, SlabSource system) {
        this.system = system;
        this.capacity = capacity / Slab.UNIT * Slab.UNIT;
        this.slabBytes =
                (int) Math.clamp(Long.highestOneBit(this.capacity / 8), LEAST_SLAB, LARGEST_SLAB);
    }

    /** Longest run there can be. */
    public int longestRun() {
        return (int) Math.min(slabBytes, capacity);
    }

    public long capacity() {
        return capacity;
    }

    /** Bytes in runs now: stored, being filled, or evicted and still being sent. */
    public synchronized long used() {
        return used;
    }

    /** Bytes had from the system so far; never less than {@link #used}. */
    public synchronized long reserved() {
        return reserved;
    }

    /** An empty buffer of this capacity with one reference; absent when there is no room for it. */
    public @Nullable ByteBuf take(int bytes) {
        return take(bytes, 0);
    }

    /**
     * The same with so many bytes behind it, which are not the buffer's but for the head of what is
     * stored there; with fewer where no run is that long.
     */
    public synchronized @Nullable ByteBuf take(int bytes, int behind) {
        int units =
                Slab.units(Math.max(bytes, (int) Math.min((long) bytes + behind, longestRun())));
        for (int i = 0; i < slabs.size(); i++) {
            int which = (recent + i) % slabs.size();
            int at = slabs.get(which).take(units);
            if (at >= 0) {
                recent = which;
                return run(slabs.get(which), at, units, bytes);
            }
        }
        int size = (int) Math.min(slabBytes, capacity - reserved - coming);
        if ((long) units * Slab.UNIT > size) {
            return null;
        }
        Slab slab = slab(size);
        return slab == null ? null : run(slab, slab.take(units), units, bytes);
    }

    /**
     * Takes all slabs there may be. For a thread of its own: the system needs a while to clear
     * them, some 0.3 s for each GB; meanwhile those that are there can be used, and what needs one
     * that is not yet, takes it itself.
     */
    public void reserveAll() {
        while (true) {
            int next;
            synchronized (this) {
                next = (int) Math.min(slabBytes, capacity - reserved - coming);
                if (denied || next < Slab.UNIT) {
                    return;
                }
                coming += next;
            }
            try {
                slab(next);
            } finally {
                synchronized (this) {
                    coming -= next;
                }
            }
        }
    }

    private @Nullable Slab slab(int bytes) {
        if (denied) {
            return null;
        }
        try {
            Slab slab = system.take(this, bytes);
            synchronized (this) {
                slabs.add(slab);
                reserved += bytes;
            }
            return slab;
        } catch (OutOfMemoryError e) {
            denied = true;
            LOG.error(
                    "The system gives no more direct memory: the cache stays at {} of {} bytes ({})",
                    reserved,
                    capacity,
                    e.getMessage());
            return null;
        }
    }

    /**
     * The longest buffer there is room for now, no longer than {@code most}.
     *
     * @return absent when all that is free is shorter than {@code least}
     */
    public synchronized @Nullable ByteBuf takeLongest(int least, int most) {
        int longest = 0;
        for (Slab slab : slabs) {
            longest = Math.max(longest, slab.longestFree());
        }
        int bytes = (int) Math.min((long) longest * Slab.UNIT, most);
        return bytes < least ? null : take(bytes);
    }

    private ByteBuf run(Slab slab, int at, int units, int bytes) {
        used += (long) units * Slab.UNIT;
        return new SlabBuffer(slab, at, units, bytes);
    }

    synchronized void give(SlabBuffer run) {
        give(run.slab, run.at, run.units);
    }

    private void give(Slab slab, int at, int units) {
        slab.give(at, units);
        used -= (long) units * Slab.UNIT;
    }

    /**
     * Bytes charged for a buffer from {@link #take}, or a view of one: a part keeps the whole run.
     */
    public static long charged(ByteBuf run) {
        for (ByteBuf inner = run; inner != null; inner = inner.unwrap()) {
            if (inner instanceof SlabBuffer taken) {
                return (long) taken.units * Slab.UNIT;
            }
        }
        return run.capacity();
    }

    /**
     * The run behind a view of all its bytes, which need not be kept beside it; other buffers as
     * they are.
     */
    public static ByteBuf bare(ByteBuf view) {
        return view.unwrap() instanceof SlabBuffer run
                        && run.readableBytes() == view.readableBytes()
                ? run
                : view;
    }

    /**
     * Gives back the units behind what was written, when a body turned out shorter than its run.
     *
     * @param behind bytes to keep behind it
     */
    public synchronized void trim(ByteBuf run, int behind) {
        if (run instanceof SlabBuffer own) {
            int needed = Slab.units(own.writerIndex() + behind);
            if (needed < own.units) {
                int surplus = own.units - needed;
                own.units = needed;
                give(own.slab, own.at + needed, surplus);
            }
        }
    }
}
