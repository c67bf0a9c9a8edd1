package dev.komainu.central.indices;

import dev.komainu.telemetry.record.BucketCounts;
import dev.komainu.telemetry.record.Distribution;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.AbstractHistogram;
import org.jspecify.annotations.Nullable;

/**
 * The distribution of one duration in each second. Windows are merged before percentiles are
 * computed: percentiles are never averaged.
 *
 * <p>The newest seconds are kept one by one; older ones are added up in blocks of
 * {@value #BLOCK_SECONDS} s, because ten distributions of one second take five times the memory of
 * their sum. A window contains a block when it contains the block's last second, or when it ends in
 * the block and is shorter than it. So a window is exact when it is aligned to the blocks.
 *
 * <p>A merged window that ends with a filled second changes only when an older second is filled
 * again. So the percentiles are kept until then, because the state model requests them again.
 * Guarded by its owner's lock.
 */
final class DistributionRing {

    static final int BLOCK_SECONDS = 10;

    private static final long EMPTY = Long.MIN_VALUE;

    private final long[] seconds;

    /** The durations of each second, see {@link PackedCounts}. */
    private final byte[] @Nullable [] slots;

    /** First second of each block; {@link #EMPTY} when it was never filled. */
    private final long[] blockStarts;

    private final byte[] @Nullable [] blocks;

    /** The seconds that each block contains, one bit each. */
    private final short[] blockSeconds;

    /** The percentiles that are computed together. */
    static final List<Integer> PERCENTILES = List.of(10, 50, 95, 99);

    private static final double[] SHARES =
            PERCENTILES.stream().mapToDouble(Integer::doubleValue).toArray();

    /** Absent until the first percentile is requested: most durations of a service never are. */
    private @Nullable PercentileCache cached;

    private long newest = EMPTY;

    /** Creates a ring that keeps every second by itself. */
    DistributionRing(int length) {
        this(length, length);
    }

    /**
     * Creates a ring.
     *
     * @param single newest seconds that are kept one by one, at most {@code length}
     */
    DistributionRing(int length, int single) {
        seconds = new long[single];
        Arrays.fill(seconds, EMPTY);
        slots = new byte[single][];
        int older = length > single ? length / BLOCK_SECONDS + 1 : 0;
        blockStarts = new long[older];
        Arrays.fill(blockStarts, EMPTY);
        blocks = new byte[older][];
        blockSeconds = new short[older];
    }

    void put(long second, Distribution distribution) {
        if (newest >= second) {
            // A second that is filled late, or again from another source.
            forgetPercentiles();
        }
        int slot = slot(second);
        byte[] packed = PackedCounts.of(distribution);
        if (seconds[slot] > second || isFolded(start(second))) {
            addToBlock(second, packed);
            return;
        }
        if (slots[slot] != null && seconds[slot] < second) {
            fold(start(seconds[slot]));
        }
        newest = Math.max(newest, second);
        seconds[slot] = second;
        slots[slot] = packed;
    }

    /** Moves all seconds of a block from their slots to the block. */
    private void fold(long start) {
        BucketCounts sum = BucketCounts.take();
        for (long second = start; second < start + BLOCK_SECONDS; second++) {
            int slot = slot(second);
            byte[] packed = slots[slot];
            if (seconds[slot] == second && packed != null) {
                if (claim(second)) {
                    PackedCounts.addTo(packed, sum);
                }
                seconds[slot] = EMPTY;
                slots[slot] = null;
            }
        }
        addToBlock(start, sum);
        sum.release();
    }

    private boolean isFolded(long start) {
        return blocks.length > 0 && blockStarts[block(start)] == start;
    }

    /** Adds a late second to its block. */
    private void addToBlock(long second, byte[] packed) {
        if (claim(second)) {
            BucketCounts durations = BucketCounts.take();
            PackedCounts.addTo(packed, durations);
            addToBlock(start(second), durations);
            durations.release();
        }
    }

    /**
     * Marks a second as contained in its block, which is emptied if it was older.
     *
     * @return false when the block contains the second already, or is newer
     */
    private boolean claim(long second) {
        if (blocks.length == 0) {
            return false;
        }
        long start = start(second);
        int block = block(start);
        if (blockStarts[block] > start) {
            return false;
        }
        if (blockStarts[block] < start) {
            blockStarts[block] = start;
            blocks[block] = null;
            blockSeconds[block] = 0;
        }
        int bit = 1 << (int) (second - start);
        boolean contained = (blockSeconds[block] & bit) != 0;
        blockSeconds[block] |= (short) bit;
        return !contained;
    }

    /** Adds durations to the block that starts at this second, if it has one. */
    private void addToBlock(long start, BucketCounts durations) {
        if (!isFolded(start)) {
            return;
        }
        byte[] before = blocks[block(start)];
        if (before != null) {
            PackedCounts.addTo(before, durations);
        }
        blocks[block(start)] = PackedCounts.of(durations);
    }

    /** Empties every slot of a later second, see {@link SecondRing#clearAfter}. */
    void clearAfter(long second) {
        if (newest <= second) {
            return;
        }
        newest = EMPTY;
        for (int slot = 0; slot < seconds.length; slot++) {
            if (seconds[slot] > second) {
                seconds[slot] = EMPTY;
                slots[slot] = null;
            } else if (slots[slot] != null) {
                newest = Math.max(newest, seconds[slot]);
            }
        }
        for (int block = 0; block < blocks.length; block++) {
            if (blockStarts[block] + BLOCK_SECONDS - 1 > second) {
                blockStarts[block] = EMPTY;
                blocks[block] = null;
            } else if (blocks[block] != null) {
                newest = Math.max(newest, blockStarts[block] + BLOCK_SECONDS - 1);
            }
        }
        forgetPercentiles();
    }

    private void forgetPercentiles() {
        if (cached != null) {
            cached.clear();
        }
    }

    /**
     * Returns the percentile of the window's durations in milliseconds; {@code NaN} when there are
     * none.
     *
     * @param percentile 10, 50, 95 or 99
     * @throws IllegalArgumentException for another percentile
     */
    double millis(int percentile, long end, int over) {
        int which = PERCENTILES.indexOf(percentile);
        if (which < 0) {
            throw new IllegalArgumentException(
                    "percentile " + percentile + " (expected: one of " + PERCENTILES + ")");
        }
        PercentileCache cache = cached == null ? new PercentileCache() : cached;
        cached = cache;
        if (cache.contains(end, over)) {
            return cache.millis(end, over, which);
        }
        short[] found = new short[PERCENTILES.size()];
        BucketCounts merged = merged(end, over);
        merged.percentiles(SHARES, found);
        merged.release();
        if (packed(end, end, over) != null) {
            cache.put(end, over, found);
        }
        return PercentileCache.millis(found[which]);
    }

    /** Returns the sum of a window, which the caller releases. */
    private BucketCounts merged(long end, int over) {
        BucketCounts merged = BucketCounts.take();
        for (long second = end - over + 1; second <= end; second++) {
            byte[] packed = packed(second, end, over);
            if (packed != null) {
                PackedCounts.addTo(packed, merged);
            }
        }
        return merged;
    }

    /** Adds all durations of the window, which is exact as the class comment says. */
    void addTo(AbstractHistogram total, long end, int over) {
        BucketCounts merged = merged(end, over);
        merged.buckets((bucket, count) ->
                total.recordValueWithCount(Distribution.highestMicros(bucket), count));
        merged.release();
    }

    long samples(long end, int over) {
        BucketCounts merged = merged(end, over);
        long count = merged.total();
        merged.release();
        return count;
    }

    /**
     * Returns the durations that a second adds to a window: its own, or those of the block of which
     * it is the last second in the window.
     */
    private byte @Nullable [] packed(long second, long end, int over) {
        int slot = slot(second);
        if (seconds[slot] == second) {
            return slots[slot];
        }
        if (blocks.length == 0) {
            return null;
        }
        long start = start(second);
        boolean last = second == start + BLOCK_SECONDS - 1;
        boolean inside = second == end && over < BLOCK_SECONDS;
        int block = block(start);
        return (last || inside) && blockStarts[block] == start ? blocks[block] : null;
    }

    private static long start(long second) {
        return Math.floorDiv(second, (long) BLOCK_SECONDS) * BLOCK_SECONDS;
    }

    private int slot(long second) {
        return (int) Math.floorMod(second, (long) seconds.length);
    }

    private int block(long start) {
        return (int) Math.floorMod(start / BLOCK_SECONDS, (long) blocks.length);
    }
}
