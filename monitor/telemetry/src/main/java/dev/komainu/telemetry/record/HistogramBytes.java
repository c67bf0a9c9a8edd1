package dev.komainu.telemetry.record;

import dev.komainu.telemetry.record.Distribution.BucketReader;
import java.nio.ByteBuffer;
import java.util.Arrays;
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
    static final int BUCKETS = 3_328;

    /** The last of the nine bytes that a number may have contains eight bits. */
    private static final int LAST_SHIFT = 56;

    private HistogramBytes() {}

    /**
     * Adds all counts to a histogram.
     *
     * @throws IllegalArgumentException when the bytes are no such encoding
     */
    static void addTo(byte[] encoded, AbstractHistogram total) {
        read(encoded, (bucket, count) -> total.recordValueWithCount(lowest(bucket), count));
    }

    /**
     * Returns the sum of the counts.
     *
     * @throws IllegalArgumentException when the bytes are no such encoding
     */
    static long count(byte[] encoded) {
        return read(encoded, (value, count) -> {});
    }

    /** Returns the encoding of a sum: the bytes that the library would write. */
    static byte[] of(BucketCounts sum) {
        CountWriter counts = new CountWriter();
        sum.buckets(counts);
        return counts.bytes();
    }

    /** The writer of the encoding, bucket by bucket. */
    private static final class CountWriter implements BucketReader {
        private static final int LONGEST_NUMBER = 9;

        private byte[] bytes = new byte[256];
        private int length = HEADER_BYTES;
        private int next;

        @Override
        public void bucket(int bucket, long count) {
            if (bytes.length - length < 2 * LONGEST_NUMBER) {
                bytes = Arrays.copyOf(bytes, bytes.length * 2);
            }
            int empty = bucket - next;
            if (empty > 0) {
                number(empty == 1 ? 0 : -empty);
            }
            number(count);
            next = bucket + 1;
        }

        private void number(long number) {
            long zigZag = (number << 1) ^ (number >> 63);
            for (int shift = 0; shift < LAST_SHIFT && zigZag >>> 7 != 0; shift += 7) {
                bytes[length++] = (byte) ((zigZag & 0x7F) | 0x80);
                zigZag >>>= 7;
            }
            bytes[length++] = (byte) zigZag;
        }

        byte[] bytes() {
            ByteBuffer header = ByteBuffer.wrap(bytes);
            header.putInt(V2_COOKIE)
                    .putInt(length - HEADER_BYTES)
                    .putInt(0)
                    .putInt(Distribution.DIGITS)
                    .putLong(1)
                    .putLong(Distribution.MAX_MICROS)
                    .putDouble(1);
            return Arrays.copyOf(bytes, length);
        }
    }

    /**
     * Passes each filled bucket on, lowest first.
     *
     * @return the sum of the counts
     * @throws IllegalArgumentException when the bytes are no such encoding
     */
    static long read(byte[] encoded, BucketReader reader) {
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
        return readCounts(encoded, HEADER_BYTES + payload, reader);
    }

    private static long readCounts(byte[] encoded, int end, BucketReader reader) {
        long index = 0;
        long sum = 0;
        int at = HEADER_BYTES;
        while (at < end) {
            long zigZag = 0;
            int shift = 0;
            long next;
            do {
                if (at == end) {
                    throw malformed(encoded, "the last count is cut off");
                }
                next = encoded[at++];
                zigZag |= (shift == LAST_SHIFT ? next : next & 0x7F) << shift;
                shift += 7;
            } while (next < 0 && shift <= LAST_SHIFT);
            long count = (zigZag >>> 1) ^ -(zigZag & 1);
            if (count < 0) {
                index -= count;
            } else {
                if (count > 0 && index < BUCKETS) {
                    reader.bucket((int) index, count);
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

    /** Returns the highest value of a bucket. */
    static long highest(int index) {
        int octave = (index >> HALF_BITS) - 1;
        return lowest(index) + (octave <= 0 ? 0 : (1L << octave) - 1);
    }

    /** Returns the bucket of a value from 0 to the longest duration. */
    static int bucketOf(long value) {
        if (value < 2 * HALF) {
            return (int) value;
        }
        int octave = Long.SIZE - 1 - Long.numberOfLeadingZeros(value) - HALF_BITS;
        return ((octave + 1) << HALF_BITS) + (int) ((value >>> octave) & (HALF - 1));
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
}
