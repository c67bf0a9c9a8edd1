package dev.komainu.agent.packet;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A window of up to four megabytes that slides over a file. Plain reads into it are faster than
 * mapping the file (10.5 against 6.0 million packets a second), and a file that is truncated during
 * the analysis cannot crash the process.
 */
final class FileWindow implements AutoCloseable {

    /** Longest packet block. A longer one is taken for damage; no capture tool writes one. */
    static final int LONGEST = 1 << 22;

    /** Bytes read at a time: the copy is still in the second-level cache when it is parsed. */
    private static final int STEP = 1 << 18;

    private final Path file;
    private final FileChannel channel;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(LONGEST, 8);
    private final ByteBuffer buffer = memory.asByteBuffer();
    /** The same bytes, in the byte order of the file. */
    private final ByteBuffer numbers = memory.asByteBuffer();

    private final long size;
    /** Offset in the file of the first byte of {@link #memory}. */
    private long origin;
    /**
     * Beginning of the next item; {@link #end} is the end of the bytes read so far. Both are
     * offsets in {@link #memory}.
     */
    private int at;

    private int end;
    /** Progress for observers in other threads. */
    private volatile long readUpTo;

    FileWindow(Path file) throws IOException {
        this.file = file;
        this.channel = FileChannel.open(file, StandardOpenOption.READ);
        this.size = channel.size();
    }

    /** Makes {@code bytes} (at most {@link #LONGEST}) readable; false when the file ends before. */
    boolean has(int bytes) throws IOException {
        return end - at >= bytes || fill(bytes);
    }

    private boolean fill(int bytes) throws IOException {
        MemorySegment.copy(memory, at, memory, 0, end - at);
        origin += at;
        end -= at;
        at = 0;
        while (end < bytes) {
            buffer.clear()
                    .position(end)
                    .limit(Math.min(buffer.capacity(), Math.max(end + STEP, bytes)));
            int read = channel.read(buffer);
            if (read <= 0) {
                return false;
            }
            end += read;
        }
        readUpTo = origin + end;
        return true;
    }

    /** Moves forward, also beyond the readable bytes. */
    void skip(long bytes) throws IOException {
        if (bytes <= end - at) {
            at += (int) bytes;
            return;
        }
        origin += at + bytes;
        at = 0;
        end = 0;
        channel.position(origin);
    }

    long readUpTo() {
        return readUpTo;
    }

    long size() {
        return size;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Returns the offset of the next item in {@link #memory()}. */
    int at() {
        return at;
    }

    /** Returns the offset of the next item in the file. */
    long position() {
        return origin + at;
    }

    /** Returns the bytes of the file from the next item on. */
    long left() {
        return Math.max(size - position(), end - at);
    }

    /** Sets the byte order of the numbers that follow; at first big-endian. */
    void order(ByteOrder order) {
        numbers.order(order);
    }

    ByteOrder order() {
        return numbers.order();
    }

    /**
     * Returns an int in the byte order of the file.
     *
     * @param offset from the next item's beginning
     */
    int intAt(int offset) {
        return numbers.getInt(at + offset);
    }

    /** Returns two ints; the byte order decides which half the first one is in. */
    long longAt(int offset) {
        return numbers.getLong(at + offset);
    }

    int ushortAt(int offset) {
        return numbers.getShort(at + offset) & 0xffff;
    }

    int ubyteAt(int offset) {
        return numbers.get(at + offset) & 0xff;
    }

    MalformedCaptureException malformed(String what) {
        return new MalformedCaptureException(file, position(), what);
    }

    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            channel.close();
            arena.close();
        }
    }
}
