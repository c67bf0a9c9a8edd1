package dev.komainu.proxy.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * One file of records, appended to by the writer and read by any disk thread. Who reads holds it,
 * so that its file stays open until the last reader let go, although its name is gone already.
 */
final class Segment {

    static final String SUFFIX = ".seg";
    /** The file's header: magic, version, 8 bytes of nothing. */
    static final int HEADER = 16;

    static final int MAGIC = 0x4B445331;
    static final int VERSION = 1;

    private final long number;
    private final Path path;
    private final FileChannel channel;
    /** Written by the writer alone. */
    private volatile long size;
    // Guarded by this; the first holder is the log.
    private int holders = 1;

    private Segment(long number, Path path, FileChannel channel, long size) {
        this.number = number;
        this.path = path;
        this.channel = channel;
        this.size = size;
    }

    static Path path(Path directory, long number) {
        return directory.resolve(String.format(Locale.ROOT, "%016d%s", number, SUFFIX));
    }

    static Segment create(Path directory, long number) throws IOException {
        Path path = path(directory, number);
        FileChannel channel = FileChannel.open(
                path,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        Segment segment = new Segment(number, path, channel, 0);
        try {
            segment.append(ByteBuffer.allocate(HEADER)
                    .putInt(MAGIC)
                    .putInt(VERSION)
                    .putLong(0)
                    .flip());
        } catch (IOException e) {
            segment.drop();
            throw e;
        }
        return segment;
    }

    /** One that an earlier process wrote: only read. */
    static Segment open(Path path, long number) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        return new Segment(number, path, channel, channel.size());
    }

    long number() {
        return number;
    }

    long size() {
        return size;
    }

    FileChannel channel() {
        return channel;
    }

    /** @throws IOException when the disk refuses; the segment is then as it was before */
    void append(ByteBuffer... parts) throws IOException {
        long at = size;
        try {
            for (ByteBuffer part : parts) {
                while (part.hasRemaining()) {
                    at += channel.write(part, at);
                }
            }
        } catch (IOException e) {
            // Behind the last whole record lies nothing, as far as anybody knows; the next append
            // writes over it.
            throw new IOException(path + ": " + e.getMessage(), e);
        }
        size = at;
    }

    void force() throws IOException {
        channel.force(false);
    }

    /** @return false when it was dropped and nobody reads it any more */
    synchronized boolean hold() {
        if (holders == 0) {
            return false;
        }
        holders++;
        return true;
    }

    synchronized void letGo() {
        holders--;
        if (holders == 0) {
            try {
                channel.close();
            } catch (IOException e) {
                // What was read is read; what was written is in the kernel's hands.
                return;
            }
        }
    }

    /** Its file goes now, its bytes with the last reader. */
    void drop() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // It is found, and dropped as the oldest, at the next start.
        }
        letGo();
    }
}
