package dev.komainu.agent.packet;

import java.io.IOException;
import java.nio.ByteOrder;

/**
 * The pcap format: one header for the file, one for each record.
 *
 * <pre>
 *  file    0 magic | 4 version | 8 zone | 12 accuracy | 16 snaplen | 20 link type       (24 bytes)
 *  record  0 seconds | 4 fraction | 8 bytes captured | 12 bytes on the wire             (16 bytes), then the frame
 * </pre>
 */
final class PcapFormat implements CaptureFile.FileFormat {

    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;

    private final FileWindow window;
    private final int fractionsPerMicro;
    private final LinkType link;
    private long delivered;

    PcapFormat(FileWindow window, ByteOrder order, int fractionsPerMicro)
            throws IOException, MalformedCaptureException {
        this.window = window;
        window.order(order);
        this.fractionsPerMicro = fractionsPerMicro;
        if (!window.has(FILE_HEADER)) {
            throw window.malformed(
                    "file header cut short: " + window.left() + " of " + FILE_HEADER + " bytes");
        }
        // The upper half may contain the length of a frame check
        // sequence; it is not part of the type.
        this.link = LinkType.of(window.intAt(20) & 0xffff);
        window.skip(FILE_HEADER);
    }

    @Override
    public boolean next(FrameSink sink) throws IOException, MalformedCaptureException {
        if (!window.has(RECORD_HEADER)) {
            if (window.left() > 0) {
                throw window.malformed("record header cut short: " + window.left() + " of "
                        + RECORD_HEADER + " bytes");
            }
            return false;
        }
        // Two numbers at once: a checked read of foreign memory costs more than splitting a word.
        long time = window.longAt(0);
        long lengths = window.longAt(8);
        boolean bigEnd = window.order() == ByteOrder.BIG_ENDIAN;
        long seconds = bigEnd ? time >>> 32 : time & 0xffff_ffffL;
        long fraction = bigEnd ? time & 0xffff_ffffL : time >>> 32;
        int captured = (int) (bigEnd ? lengths >> 32 : lengths);
        int length = (int) (bigEnd ? lengths : lengths >> 32);
        if (captured < 0
                || captured > FileWindow.LONGEST - RECORD_HEADER
                || !window.has(RECORD_HEADER + captured)) {
            throw window.malformed("record length " + Integer.toUnsignedString(captured)
                    + " exceeds the "
                    + Math.min(window.left() - RECORD_HEADER, FileWindow.LONGEST - RECORD_HEADER)
                    + " left");
        }
        delivered++;
        sink.frame(
                seconds * 1_000_000 + fraction / fractionsPerMicro,
                link,
                window.memory(),
                window.at() + (long) RECORD_HEADER,
                captured,
                Math.max(length, captured));
        window.skip(RECORD_HEADER + captured);
        return true;
    }

    @Override
    public long delivered() {
        return delivered;
    }

    @Override
    public long dropped() {
        return 0;
    }
}
