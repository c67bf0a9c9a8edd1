package dev.komainu.telemetry.record;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.IntCountsHistogram;

/**
 * An immutable, mergeable histogram of durations in microseconds: 1 µs to one hour, two significant
 * digits.
 *
 * <p>Percentiles must never be averaged: distributions are added first, and percentiles are
 * computed from the sum. The bytes are HdrHistogram's V2 encoding (zig-zag LEB128, not deflated:
 * batches are compressed as a whole).
 */
public final class Distribution {

    /** Longest distinct duration; longer ones are recorded as this value. */
    public static final long MAX_MICROS = 3_600_000_000L;

    /** Number of buckets; {@link #buckets} numbers them from 0. */
    public static final int BUCKETS = HistogramBytes.BUCKETS;

    /** Significant digits. */
    static final int DIGITS = 2;

    private static final Distribution EMPTY = new Distribution(new byte[0], 0);

    private final byte[] encoded;
    private final long count;

    private Distribution(byte[] encoded, long count) {
        this.encoded = encoded;
        this.count = count;
    }

    public static Distribution empty() {
        return EMPTY;
    }

    /** Returns a new recorder for this class; record with {@link #record}. Not thread-safe. */
    public static Histogram newRecorder() {
        return new Histogram(1, MAX_MICROS, DIGITS);
    }

    /**
     * Returns a recorder that takes a quarter of the memory: its buckets count to 2^31 - 1, and
     * there are as many as the longest duration needs. For a window of one service. Not
     * thread-safe.
     */
    public static AbstractHistogram newSmallRecorder() {
        return new IntCountsHistogram(DIGITS);
    }

    /** Records a duration, clamped to 0 and {@link #MAX_MICROS}. */
    public static void record(AbstractHistogram recorder, long micros) {
        recorder.recordValue(Math.clamp(micros, 0, MAX_MICROS));
    }

    /** Returns the values of a recorder, which may be reset afterwards. */
    public static Distribution of(AbstractHistogram recorder) {
        long total = recorder.getTotalCount();
        if (total == 0) {
            return EMPTY;
        }
        ByteBuffer buffer = ByteBuffer.allocate(recorder.getNeededByteBufferCapacity());
        int length = recorder.encodeIntoByteBuffer(buffer);
        // A small recorder states the longest duration that it has room for now.
        buffer.putLong(HistogramBytes.HIGHEST_AT, MAX_MICROS);
        return new Distribution(Arrays.copyOf(buffer.array(), length), total);
    }

    /** Returns the sum of some distributions. */
    public static Distribution of(BucketCounts sum) {
        return sum.total() == 0 ? EMPTY : new Distribution(HistogramBytes.of(sum), sum.total());
    }

    /**
     * Parses the bytes of {@link #encoded()}.
     *
     * @throws IllegalArgumentException when the bytes are no such histogram
     */
    public static Distribution ofEncoded(byte[] encoded) {
        if (encoded.length == 0) {
            return EMPTY;
        }
        return new Distribution(encoded.clone(), HistogramBytes.count(encoded));
    }

    /** Returns the number of durations. */
    public long count() {
        return count;
    }

    /** Adds every value to {@code total}, which must come from {@link #newRecorder}. */
    public void addTo(AbstractHistogram total) {
        if (count > 0) {
            HistogramBytes.addTo(encoded, total);
        }
    }

    /** The receiver of the filled buckets of a distribution. */
    @FunctionalInterface
    public interface BucketReader {

        /**
         * Accepts a bucket with at least one duration.
         *
         * @param bucket 0 to {@link #BUCKETS} - 1
         */
        void bucket(int bucket, long count);
    }

    /** Passes each filled bucket on, lowest first. */
    public void buckets(BucketReader reader) {
        if (count > 0) {
            HistogramBytes.read(encoded, reader);
        }
    }

    /** Returns the bucket of a value, clamped to 0 and {@link #MAX_MICROS}. */
    public static int bucketOf(long micros) {
        return HistogramBytes.bucketOf(Math.clamp(micros, 0, MAX_MICROS));
    }

    /**
     * Returns the longest duration of a bucket, in microseconds: the percentile that lies in this
     * bucket.
     */
    public static long highestMicros(int bucket) {
        return HistogramBytes.highest(bucket);
    }

    /** Returns a copy for computing percentiles. */
    public Histogram toHistogram() {
        Histogram copy = newRecorder();
        addTo(copy);
        return copy;
    }

    /** Returns a copy of the bytes; empty when nothing was recorded. */
    public byte[] encoded() {
        return encoded.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Distribution that && Arrays.equals(encoded, that.encoded);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(encoded);
    }

    @Override
    public String toString() {
        return "Distribution[" + count + "]";
    }
}
