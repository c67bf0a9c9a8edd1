package dev.komainu.proxy.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A pass over a segment from its beginning, record by record, without the bodies. Damaged parts are
 * skipped: the next record is searched at each multiple of {@value DiskRecord#ALIGN} behind them.
 */
final class SegmentScan {

    /** Receives each record. */
    interface Visitor {
        /**
         * Receives one record.
         *
         * @param recordBytes bytes of the record, body and padding included; valid during the call
         */
        void record(DiskRecord record, long offset, ByteBuffer recordBytes) throws IOException;
    }

    /**
     * The parts of a segment that could not be read.
     *
     * @param damaged stretches without a record that are followed by records
     * @param torn 1 when the segment ends with such a stretch
     */
    record Faults(long damaged, long torn) {}

    private SegmentScan() {}

    static Faults scan(Segment segment, long salt, Visitor visitor) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long size = segment.size();
            if (size < Segment.HEADER || size > Integer.MAX_VALUE) {
                return new Faults(0, 1);
            }
            ByteBuffer segmentBytes = segment.channel()
                    .map(FileChannel.MapMode.READ_ONLY, 0, size, arena)
                    .asByteBuffer();
            if (segmentBytes.getInt(0) != Segment.MAGIC
                    || segmentBytes.getInt(4) != Segment.VERSION) {
                return new Faults(1, 0);
            }
            return scan(segmentBytes, salt, visitor);
        }
    }

    private static Faults scan(ByteBuffer segmentBytes, long salt, Visitor visitor)
            throws IOException {
        long damaged = 0;
        boolean damagedStretch = false;
        int position = Segment.HEADER;
        while (position < segmentBytes.limit()) {
            DiskRecord record = DiskRecord.read(segmentBytes, position, salt);
            long length = record == null
                    ? 0
                    : DiskRecord.padded(
                            DiskRecord.metaLength(segmentBytes, position), record.bodyLength());
            if (record == null || length > segmentBytes.limit() - position) {
                damagedStretch = true;
                position += DiskRecord.ALIGN;
                continue;
            }
            damaged += damagedStretch ? 1 : 0;
            damagedStretch = false;
            visitor.record(record, position, segmentBytes.slice(position, (int) length));
            position += (int) length;
        }
        return new Faults(damaged, damagedStretch ? 1 : 0);
    }
}
