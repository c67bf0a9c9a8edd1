package dev.komainu.central.api.stream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * A gzip stream (RFC 1952) of frames that were compressed before. Belongs to the thread of one
 * subscriber.
 *
 * <p>Each frame is compressed alone and ends with a sync flush: its blocks refer to nothing before
 * them, so that the same bytes fit into the stream of every subscriber, and the reader can decode
 * the frame at once. A subscriber costs a checksum instead of a compressor with its 256 KB window.
 * In exchange a frame cannot refer to the frame before it.
 */
final class GzipFrames {

    /** Magic number, deflate, no flags, no time, no extra flags, unknown system. */
    private static final byte[] HEADER = {
        0x1f, (byte) 0x8b, Deflater.DEFLATED, 0, 0, 0, 0, 0, 0, (byte) 0xff
    };

    /** An empty final block with fixed codes (RFC 1951 section 3.2.6). */
    private static final byte[] LAST_BLOCK = {0x03, 0x00};

    private final OutputStream out;
    private final CRC32 checksum = new CRC32();
    private long length;

    GzipFrames(OutputStream out) throws IOException {
        this.out = out;
        out.write(HEADER);
    }

    /** Returns the blocks of a frame for {@link #write}. */
    static byte[] deflate(byte[] frame) {
        Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        try {
            deflater.setInput(frame);
            ByteArrayOutputStream blocks = new ByteArrayOutputStream(64 + frame.length / 4);
            byte[] buffer = new byte[Math.clamp(frame.length, 64, 8_192)];
            int count;
            do {
                count = deflater.deflate(buffer, 0, buffer.length, Deflater.SYNC_FLUSH);
                blocks.write(buffer, 0, count);
            } while (count == buffer.length);
            return blocks.toByteArray();
        } finally {
            deflater.end();
        }
    }

    /**
     * Writes a frame.
     *
     * @param blocks the frame's blocks, as {@link #deflate} returned them
     */
    void write(byte[] frame, byte[] blocks) throws IOException {
        checksum.update(frame);
        length += frame.length;
        out.write(blocks);
    }

    /** Ends the stream; nothing may be written afterwards. */
    void end() throws IOException {
        out.write(LAST_BLOCK);
        writeNumber(checksum.getValue());
        writeNumber(length);
    }

    /** Writes the lowest four bytes of a number, least significant first. */
    private void writeNumber(long number) throws IOException {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            out.write((int) (number >>> shift) & 0xff);
        }
    }
}
