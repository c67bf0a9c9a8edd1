package dev.komainu.agent.accesslog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reads lines of one open file from a position on, as far as it has grown. A line whose end has not
 * come yet waits; one longer than {@value #LONGEST_LINE} bytes is passed over and counted once.
 * Single thread.
 */
final class LineReader implements AutoCloseable {

    static final int LONGEST_LINE = 64 << 10;

    private final FileChannel channel;
    private final byte[] buffer = new byte[LONGEST_LINE];
    private long position;
    private int filled;
    private boolean skipping;

    LineReader(Path file, boolean atEnd) throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.READ);
        position = atEnd ? channel.size() : 0;
        // Somewhere within a line, unless the last byte before is an end of line.
        skipping = atEnd && position > 0 && !endsLine(position - 1);
    }

    private boolean endsLine(long at) throws IOException {
        return channel.read(ByteBuffer.wrap(buffer, 0, 1), at) == 1 && buffer[0] == '\n';
    }

    long size() throws IOException {
        return channel.size();
    }

    /** Bytes that were read; at most {@code most} and the rest of a buffer. */
    long read(long most, LogLineListener lines) throws IOException {
        long read = 0;
        while (read < most) {
            int count =
                    channel.read(ByteBuffer.wrap(buffer, filled, buffer.length - filled), position);
            if (count <= 0) {
                break;
            }
            position += count;
            read += count;
            filled += count;
            split(lines);
        }
        return read;
    }

    private void split(LogLineListener lines) {
        int from = 0;
        for (int at = 0; at < filled; at++) {
            if (buffer[at] == '\n') {
                if (!skipping) {
                    int to = at > from && buffer[at - 1] == '\r' ? at - 1 : at;
                    if (to > from) {
                        lines.line(buffer, from, to);
                    }
                }
                skipping = false;
                from = at + 1;
            }
        }
        if (from == 0 && filled == buffer.length) {
            if (!skipping) {
                lines.unreadable();
            }
            skipping = true;
            filled = 0;
            return;
        }
        if (skipping) {
            filled = 0;
            return;
        }
        System.arraycopy(buffer, from, buffer, 0, filled - from);
        filled -= from;
    }

    long position() {
        return position;
    }

    /** The file was emptied and is written anew (copytruncate). */
    void rewind() {
        position = 0;
        filled = 0;
        skipping = false;
    }

    /**
     * Passes over everything up to the end: too far behind to catch up. Gives the bytes passed
     * over.
     */
    long skipToEnd() throws IOException {
        long behind = channel.size() - position;
        position = channel.size();
        filled = 0;
        skipping = true;
        return behind;
    }

    /** A line that waits for its end; counted when there will be none. */
    boolean isWithinLine() {
        return filled > 0;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
