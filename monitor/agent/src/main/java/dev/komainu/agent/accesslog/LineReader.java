package dev.komainu.agent.accesslog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reader of the lines of one open file, from a position to the current end. An incomplete last line
 * waits for its end; a line longer than {@value #LONGEST_LINE} bytes is skipped and counted once.
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
        // Within a line, unless the last byte before is an end of line.
        skipping = atEnd && position > 0 && !endsLine(position - 1);
    }

    private boolean endsLine(long at) throws IOException {
        return channel.read(ByteBuffer.wrap(buffer, 0, 1), at) == 1 && buffer[0] == '\n';
    }

    long size() throws IOException {
        return channel.size();
    }

    /** Reads at most {@code most} bytes plus the rest of a buffer; returns the bytes read. */
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

    /** Restarts at the beginning: the file was truncated and is written again (copytruncate). */
    void rewind() {
        position = 0;
        filled = 0;
        skipping = false;
    }

    /** Skips to the end, because the reader is too far behind; returns the bytes skipped. */
    long skipToEnd() throws IOException {
        long behind = channel.size() - position;
        position = channel.size();
        filled = 0;
        skipping = true;
        return behind;
    }

    /**
     * Reports whether an incomplete line waits for its end; it is counted when no end will come.
     */
    boolean isWithinLine() {
        return filled > 0;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
