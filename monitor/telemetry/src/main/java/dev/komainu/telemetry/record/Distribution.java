package dev.komainu.telemetry.record;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;

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

    private static final int DIGITS = 2;
    private static final int HEADER_BYTES = 40;
    private static final int V2_COOKIE = 0x1c849303 | 0x10;
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
        return new Distribution(Arrays.copyOf(buffer.array(), length), total);
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
        return new Distribution(encoded.clone(), decode(encoded).getTotalCount());
    }

    private static Histogram decode(byte[] encoded) {
        try {
            ByteBuffer head = ByteBuffer.wrap(encoded);
            // The header determines the memory that decoding needs, so it is checked first: cookie,
            // payload length, index offset, digits, lowest, highest.
            if (encoded.length < HEADER_BYTES
                    || head.getInt(0) != V2_COOKIE
                    || head.getInt(8) != 0
                    || head.getInt(12) != DIGITS
                    || head.getLong(16) != 1
                    || head.getLong(24) != MAX_MICROS) {
                throw new DataFormatException("header");
            }
            Histogram histogram =
                    Histogram.decodeFromByteBuffer(ByteBuffer.wrap(encoded), MAX_MICROS);
            if (histogram.getTotalCount() < 0) {
                throw new DataFormatException("count " + histogram.getTotalCount());
            }
            return histogram;
        } catch (DataFormatException | RuntimeException e) {
            throw new IllegalArgumentException(
                    "distribution: " + encoded.length
                            + " bytes (expected: an HdrHistogram V2 encoding, 1 µs to 1 h)",
                    e);
        }
    }

    /** Returns the number of durations. */
    public long count() {
        return count;
    }

    /** Adds every value to {@code total}, which must come from {@link #newRecorder}. */
    public void addTo(AbstractHistogram total) {
        if (count > 0) {
            total.add(decode(encoded));
        }
    }

    /** Returns a copy for computing percentiles. */
    public Histogram toHistogram() {
        return count == 0 ? newRecorder() : decode(encoded);
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
