package dev.komainu.proxy.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Reads a segment from its beginning, record by record, bodies left out. What is damaged is passed
 * over: the next record is looked for at each multiple of {@value DiskRecord#ALIGN} behind it.
 */
final class SegmentScan {

    /** What is told of each record. */
    interface Visitor {
        /** @param whole its bytes, body and padding included; valid during the call */
        void record(DiskRecord record, long offset, ByteBuffer whole) throws IOException;
    }

    /**
     * What could not be read.
     *
     * @param damaged stretches that hold no record, with records behind them
     * @param torn 1 when the end is such a stretch
     */
    record Faults(long damaged, long torn) {}

    private SegmentScan() {}

    static Faults scan(Segment segment, long salt, Visitor visitor) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long size = segment.size();
            if (size < Segment.HEADER || size > Integer.MAX_VALUE) {
                return new Faults(0, 1);
            }
            ByteBuffer whole = segment.channel()
                    .map(FileChannel.MapMode.READ_ONLY, 0, size, arena)
                    .asByteBuffer();
            if (whole.getInt(0) != Segment.MAGIC || whole.getInt(4) != Segment.VERSION) {
                return new Faults(1, 0);
            }
            return scan(whole, salt, visitor);
        }
    }

    private static Faults scan(ByteBuffer whole, long salt, Visitor visitor) throws IOException {
        long damaged = 0;
        boolean lost = false;
        int at = Segment.HEADER;
        while (at < whole.limit()) {
            DiskRecord record = DiskRecord.read(whole, at, salt);
            long length = record == null
                    ? 0
                    : DiskRecord.padded(DiskRecord.metaLength(whole, at), record.bodyLength());
            if (record == null || length > whole.limit() - at) {
                lost = true;
                at += DiskRecord.ALIGN;
                continue;
            }
            damaged += lost ? 1 : 0;
            lost = false;
            visitor.record(record, at, whole.slice(at, (int) length));
            at += (int) length;
        }
        return new Faults(damaged, lost ? 1 : 0);
    }
}
