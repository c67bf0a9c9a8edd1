package dev.komainu.central.indices;

import dev.komainu.telemetry.record.BucketCounts;
import dev.komainu.telemetry.record.Distribution;
import java.util.Arrays;

/**
 * The filled buckets of a distribution in few bytes, mostly one for each bucket. A quarter of the
 * memory of a {@link Distribution}, which has a header and keeps empty buckets as numbers of their
 * own.
 *
 * <pre>
 *   7 6 5 4 3 2 1 0
 *  +-----------+---+
 *  |    gap    | n |   gap: empty buckets before this one, 0 to 62; 63: a number follows
 *  +-----------+---+   n: count, 1 to 3; 0: a number follows, after that of the gap
 *
 *  number: 7 bits a byte, lowest first; the highest bit is set in all bytes but the last
 * </pre>
 */
final class PackedCounts {

    private static final byte[] EMPTY = new byte[0];
    private static final int GAP_FOLLOWS = 63;
    private static final int MOST_COUNT = 3;
    private static final int FIRST_BYTES = 64;
    /** Longest bucket: its byte, a gap of two bytes, a count of ten. */
    private static final int MOST_BYTES = 13;

    private PackedCounts() {}

    static byte[] of(Distribution distribution) {
        if (distribution.count() == 0) {
            return EMPTY;
        }
        Writer writer = new Writer();
        distribution.buckets(writer);
        return writer.bytes();
    }

    static byte[] of(BucketCounts counts) {
        if (counts.total() == 0) {
            return EMPTY;
        }
        Writer writer = new Writer();
        counts.buckets(writer);
        return writer.bytes();
    }

    /** Adds all buckets to a table. */
    static void addTo(byte[] packed, BucketCounts sum) {
        int at = 0;
        int bucket = -1;
        while (at < packed.length) {
            int first = packed[at++] & 0xFF;
            int gap = first >> 2;
            if (gap == GAP_FOLLOWS) {
                int shift = 0;
                gap = 0;
                byte next;
                do {
                    next = packed[at++];
                    gap |= (next & 0x7F) << shift;
                    shift += 7;
                } while (next < 0);
            }
            long count = first & MOST_COUNT;
            if (count == 0) {
                int shift = 0;
                byte next;
                do {
                    next = packed[at++];
                    count |= (long) (next & 0x7F) << shift;
                    shift += 7;
                } while (next < 0);
            }
            bucket += gap + 1;
            sum.add(bucket, count);
        }
    }

    private static final class Writer implements Distribution.BucketReader {
        private byte[] bytes = new byte[FIRST_BYTES];
        private int length;
        private int before = -1;

        @Override
        public void bucket(int bucket, long count) {
            if (bytes.length - length < MOST_BYTES) {
                bytes = Arrays.copyOf(bytes, bytes.length * 2);
            }
            int gap = bucket - before - 1;
            boolean gapFollows = gap >= GAP_FOLLOWS;
            boolean countFollows = count > MOST_COUNT;
            int high = gapFollows ? GAP_FOLLOWS : gap;
            bytes[length++] = (byte) ((high << 2) | (countFollows ? 0 : (int) count));
            if (gapFollows) {
                number(gap);
            }
            if (countFollows) {
                number(count);
            }
            before = bucket;
        }

        private void number(long number) {
            long left = number;
            while (left > 0x7F) {
                bytes[length++] = (byte) ((left & 0x7F) | 0x80);
                left >>>= 7;
            }
            bytes[length++] = (byte) left;
        }

        byte[] bytes() {
            return Arrays.copyOf(bytes, length);
        }
    }
}
