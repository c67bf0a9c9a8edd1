package dev.komainu.telemetry.record;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.HdrHistogram.AbstractHistogram;

/**
 * The V2 encoding of HdrHistogram, read bucket by bucket. A second's histogram has some tens of
 * filled buckets of {@value #BUCKETS}: reading these alone takes a twentieth of the time of a
 * decoded histogram that is then added (the library visits every bucket of both).
 *
 * <p>Each count is a zig-zag LEB128 number; a negative one is the length of a run of empty buckets.
 */
final class HistogramBytes {

    /** Place of the longest duration that has a bucket, in the header. */
    static final int HIGHEST_AT = 24;

    private static final int HEADER_BYTES = 40;
    private static final int V2_COOKIE = 0x1c849303 | 0x10;

    /** Buckets of an octave in the upper half of its range: two significant digits. */
    private static final int HALF_BITS = 7;

    private static final int HALF = 1 << HALF_BITS;

    /** Number of buckets up to {@link Distribution#MAX_MICROS}. */
    private static final int BUCKETS = 3_328;

    /** The last of the nine bytes that a number may have contains eight bits. */
    private static final int LAST_SHIFT = 56;

    private HistogramBytes() {}

    /**
     * Adds all counts to a histogram.
     *
     * @throws IllegalArgumentException when the bytes are no such encoding
     */
    static void addTo(byte[] encoded, AbstractHistogram total) {
        read(encoded, total::recordValueWithCount);
    }

    /**
     * Returns the sum of the counts.
     *
     * @throws IllegalArgumentException when the bytes are no such encoding
     */
    static long count(byte[] encoded) {
        return read(encoded, (value, count) -> {});
    }

    private static long read(byte[] encoded, BucketReader reader) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(encoded);
            // Cookie, payload length, index offset, digits, lowest, highest, ratio.
            if (encoded.length < HEADER_BYTES
                    || bytes.getInt(0) != V2_COOKIE
                    || bytes.getInt(8) != 0
                    || bytes.getInt(12) != Distribution.DIGITS
                    || bytes.getLong(16) != 1
                    || bytes.getLong(HIGHEST_AT) != Distribution.MAX_MICROS) {
                throw malformed(encoded, "header");
            }
            int payload = bytes.getInt(4);
            if (payload < 0 || payload > encoded.length - HEADER_BYTES) {
                throw malformed(encoded, "payload of " + payload + " bytes");
            }
            bytes.position(HEADER_BYTES).limit(HEADER_BYTES + payload);
            return readCounts(encoded, bytes, reader);
        } catch (BufferUnderflowException e) {
            throw malformed(encoded, "the last count is cut off");
        }
    }

    private static long readCounts(byte[] encoded, ByteBuffer bytes, BucketReader reader) {
        long index = 0;
        long sum = 0;
        while (bytes.hasRemaining()) {
            long count = number(bytes);
            if (count < 0) {
                index -= count;
            } else {
                if (count > 0 && index < BUCKETS) {
                    reader.bucket(lowest((int) index), count);
                    sum += count;
                }
                index++;
            }
            if (index < 0 || index > BUCKETS || sum < 0) {
                throw malformed(encoded, "bucket " + index + ", count " + count);
            }
        }
        return sum;
    }

    private static long number(ByteBuffer bytes) {
        long zigZag = 0;
        for (int shift = 0; ; shift += 7) {
            long next = bytes.get();
            if (shift == LAST_SHIFT) {
                zigZag |= next << shift;
                break;
            }
            zigZag |= (next & 0x7F) << shift;
            if (next >= 0) {
                break;
            }
        }
        return (zigZag >>> 1) ^ -(zigZag & 1);
    }

    /** Returns the lowest value of a bucket. */
    private static long lowest(int index) {
        int octave = (index >> HALF_BITS) - 1;
        return octave < 0 ? index : (long) ((index & HALF - 1) + HALF) << octave;
    }

    private static IllegalArgumentException malformed(byte[] encoded, String what) {
        return new IllegalArgumentException("distribution: " + encoded.length + " bytes, " + what
                + " (expected: an HdrHistogram V2 encoding, 1 µs to 1 h)");
    }

    /** Accepts each bucket with at least one value. */
    @FunctionalInterface
    private interface BucketReader {

        /** Accepts the lowest value of a bucket and its count. */
        void bucket(long value, long count);
    }
}
