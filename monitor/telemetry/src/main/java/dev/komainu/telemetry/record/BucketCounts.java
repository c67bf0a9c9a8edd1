package dev.komainu.telemetry.record;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A sum of distributions by bucket. Percentiles are those of the histogram library: the highest
 * value of the bucket that contains the percentile. It visits only the buckets between the lowest
 * and the highest filled one; the library visits all. One thread at a time.
 */
public final class BucketCounts {

    /** Bucket of a percentile of no durations. */
    public static final short NONE = -1;

    /** A table that is free at present: 26 KB are not allocated for each window. */
    private static final AtomicReference<BucketCounts> SPARE = new AtomicReference<>();

    private final long[] counts = new long[Distribution.BUCKETS];
    private int lowest = Distribution.BUCKETS;
    private int highest = -1;
    private long total;

    private BucketCounts() {}

    /** Returns an empty table; give it back with {@link #release}. */
    public static BucketCounts take() {
        BucketCounts spare = SPARE.getAndSet(null);
        return spare == null ? new BucketCounts() : spare;
    }

    /** Empties the table and gives it back. It must not be used afterwards. */
    public void release() {
        if (highest >= 0) {
            Arrays.fill(counts, lowest, highest + 1, 0);
        }
        lowest = Distribution.BUCKETS;
        highest = -1;
        total = 0;
        SPARE.set(this);
    }

    /**
     * Adds durations to a bucket.
     *
     * @param bucket 0 to {@link Distribution#BUCKETS} - 1
     */
    public void add(int bucket, long count) {
        counts[bucket] += count;
        total += count;
        lowest = Math.min(lowest, bucket);
        highest = Math.max(highest, bucket);
    }

    /** Adds all durations of a distribution. */
    public void add(Distribution distribution) {
        distribution.buckets(this::add);
    }

    /** Returns the number of durations. */
    public long total() {
        return total;
    }

    /** Passes each filled bucket on, lowest first. */
    public void buckets(Distribution.BucketReader reader) {
        for (int bucket = lowest; bucket <= highest; bucket++) {
            if (counts[bucket] != 0) {
                reader.bucket(bucket, counts[bucket]);
            }
        }
    }

    /**
     * Finds the buckets of percentiles; {@link #NONE} when there are no durations.
     *
     * @param percentiles ascending
     * @param found receives a bucket for each percentile
     */
    public void percentiles(double[] percentiles, short[] found) {
        if (total == 0) {
            Arrays.fill(found, NONE);
            return;
        }
        long passed = 0;
        int bucket = lowest - 1;
        for (int i = 0; i < percentiles.length; i++) {
            long rank = rank(percentiles[i]);
            while (passed < rank && bucket < highest) {
                passed += counts[++bucket];
            }
            found[i] = (short) bucket;
        }
    }

    /** Returns the number of durations up to a percentile, rounded as the library rounds it. */
    private long rank(double percentile) {
        double requested = Math.nextAfter(percentile, Double.NEGATIVE_INFINITY);
        return Math.max(1, (long) Math.ceil(requested * total / 100));
    }
}
