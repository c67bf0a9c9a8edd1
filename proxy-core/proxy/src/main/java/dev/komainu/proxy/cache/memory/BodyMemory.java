package dev.komainu.proxy.cache.memory;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of all bodies: direct memory of a bounded size, obtained from the system slab by slab,
 * at the first need or at the start ({@link #touchAll}), and never given back. A body that does not
 * fit is not stored. Nothing is allocated beside it, so the limit holds whatever readers do.
 *
 * <p>Bodies vary in size, so a slab allocates runs of {@value Slab#UNIT}-byte units rather than
 * fixed entries (tmproxy's were 15 KB). A run is freed with the last reference to its buffer.
 * Allocating and freeing lock this object: both happen once per stored object, never on a hit.
 */
public final class BodyMemory {

    private static final Logger LOG = LoggerFactory.getLogger(BodyMemory.class);

    /**
     * Minimum size of a slab. A slab is about an eighth of the total: few enough to search, small
     * enough to obtain one by one.
     */
    private static final int MIN_SLAB = 1 << 20;

    private static final int MAX_SLAB = 1 << 30;

    private final long capacity;
    private final int slabBytes;
    private final SlabSource system;
    // Guarded by this.
    private final List<Slab> slabs = new ArrayList<>();
    /** Index of the slab of the last allocation: with many slabs the first are mostly full. */
    private int lastUsedSlab;

    private long reserved;
    private long used;
    /**
     * True after the system refused a slab: no other is requested, the existing ones stay in use.
     */
    private volatile boolean denied;
    /** Bytes of slabs that {@link #touchAll} is making resident. */
    private long pendingBytes;

    /** Allocates slabs; may throw OutOfMemoryError. */
    interface SlabSource {
        Slab allocate(BodyMemory owner, int bytes);
    }

    /**
     * Creates a memory without slabs.
     *
     * @param capacity bytes, at least one unit
     */
    public BodyMemory(long capacity) {
        this(capacity, Slab::new);
    }

    BodyMemory(long capacity, SlabSource system) {
        this.system = system;
        this.capacity = capacity / Slab.UNIT * Slab.UNIT;
        this.slabBytes =
                (int) Math.clamp(Long.highestOneBit(this.capacity / 8), MIN_SLAB, MAX_SLAB);
    }

    /** Returns the length of the longest possible run. */
    public int longestRun() {
        return (int) Math.min(slabBytes, capacity);
    }

    /** Returns the limit of {@link #reserved}, in bytes. */
    public long capacity() {
        return capacity;
    }

    /** Returns the bytes in runs: stored, being filled, or evicted and still being sent. */
    public synchronized long used() {
        return used;
    }

    /** Returns the bytes obtained from the system so far; never less than {@link #used}. */
    public synchronized long reserved() {
        return reserved;
    }

    /**
     * Returns an empty buffer of this capacity with one reference; null when there is no room for
     * it.
     */
    public @Nullable ByteBuf allocate(int bytes) {
        return allocate(bytes, 0);
    }

    /**
     * Allocates a buffer with so many bytes behind it for the head of the stored object, which are
     * not part of the buffer's capacity; fewer where no run is that long.
     */
    public synchronized @Nullable ByteBuf allocate(int bytes, int behind) {
        int units =
                Slab.units(Math.max(bytes, (int) Math.min((long) bytes + behind, longestRun())));
        for (int i = 0; i < slabs.size(); i++) {
            int index = (lastUsedSlab + i) % slabs.size();
            int firstUnit = slabs.get(index).allocate(units);
            if (firstUnit >= 0) {
                lastUsedSlab = index;
                return run(slabs.get(index), firstUnit, units, bytes);
            }
        }
        int size = (int) Math.min(slabBytes, capacity - reserved - pendingBytes);
        if ((long) units * Slab.UNIT > size) {
            return null;
        }
        Slab slab = slab(size, false);
        return slab == null ? null : run(slab, slab.allocate(units), units, bytes);
    }

    /**
     * Obtains all slabs and makes them resident. For a thread of its own: the system needs about
     * 0.3 s to clear each GB. Meanwhile the existing slabs can be used, and an allocation that
     * needs a missing slab obtains it itself, not resident.
     */
    public void touchAll() {
        while (true) {
            int next;
            synchronized (this) {
                next = (int) Math.min(slabBytes, capacity - reserved - pendingBytes);
                if (denied || next < Slab.UNIT) {
                    return;
                }
                pendingBytes += next;
            }
            try {
                slab(next, true);
            } finally {
                synchronized (this) {
                    pendingBytes -= next;
                }
            }
        }
    }

    private @Nullable Slab slab(int bytes, boolean resident) {
        if (denied) {
            return null;
        }
        try {
            Slab slab = system.allocate(this, bytes);
            if (resident) {
                slab.touch();
            }
            synchronized (this) {
                slabs.add(slab);
                reserved += bytes;
            }
            return slab;
        } catch (OutOfMemoryError e) {
            denied = true;
            LOG.error(
                    "The system refused direct memory: the cache stays at {} of {} bytes ({})",
                    reserved,
                    capacity,
                    e.getMessage());
            return null;
        }
    }

    /**
     * Returns the longest possible buffer, at most {@code maxBytes} bytes.
     *
     * @return null when each free run is shorter than {@code minBytes}
     */
    public synchronized @Nullable ByteBuf allocateLongest(int minBytes, int maxBytes) {
        int longest = 0;
        for (Slab slab : slabs) {
            longest = Math.max(longest, slab.longestFree());
        }
        int bytes = (int) Math.min((long) longest * Slab.UNIT, maxBytes);
        return bytes < minBytes ? null : allocate(bytes);
    }

    private ByteBuf run(Slab slab, int firstUnit, int units, int bytes) {
        used += (long) units * Slab.UNIT;
        return new SlabBuffer(slab, firstUnit, units, bytes);
    }

    synchronized void free(SlabBuffer run) {
        free(run.slab, run.firstUnit, run.units);
    }

    private void free(Slab slab, int firstUnit, int units) {
        slab.free(firstUnit, units);
        used -= (long) units * Slab.UNIT;
    }

    /**
     * Returns the bytes charged for a buffer from {@link #allocate}, or for a view of one: a part
     * keeps the complete run.
     */
    public static long charged(ByteBuf run) {
        for (ByteBuf buffer = run; buffer != null; buffer = buffer.unwrap()) {
            if (buffer instanceof SlabBuffer slabBuffer) {
                return (long) slabBuffer.units * Slab.UNIT;
            }
        }
        return run.capacity();
    }

    /**
     * Returns the run behind a view of all its bytes, so that the view need not be kept; other
     * buffers unchanged.
     */
    public static ByteBuf unwrapRun(ByteBuf view) {
        return view.unwrap() instanceof SlabBuffer run
                        && run.readableBytes() == view.readableBytes()
                ? run
                : view;
    }

    /**
     * Frees the units behind the written bytes, when a body was shorter than its run.
     *
     * @param behind bytes to keep behind it
     */
    public synchronized void trim(ByteBuf run, int behind) {
        if (run instanceof SlabBuffer slabBuffer) {
            int needed = Slab.units(slabBuffer.writerIndex() + behind);
            if (needed < slabBuffer.units) {
                int surplus = slabBuffer.units - needed;
                slabBuffer.units = needed;
                free(slabBuffer.slab, slabBuffer.firstUnit + needed, surplus);
            }
        }
    }
}
