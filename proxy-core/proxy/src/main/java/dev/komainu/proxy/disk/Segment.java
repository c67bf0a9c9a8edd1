package dev.komainu.proxy.disk;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * One file of records. The writer appends to it; any disk thread reads it. A reader retains the
 * segment, so that the file stays open until the last reader releases it, even after its deletion.
 */
final class Segment {

    static final String SUFFIX = ".seg";
    /** Length of the file's header: magic, version, 8 zero bytes. */
    static final int HEADER = 16;

    static final int MAGIC = 0x4B445331;
    static final int VERSION = 1;

    private final long number;
    private final Path path;
    private final FileChannel channel;
    /** Written by the writer's thread only. */
    private volatile long size;
    // Guarded by this; the log has the first reference.
    private int references = 1;

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
        FileChannel channel = PrivateFiles.open(
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
            segment.delete();
            throw e;
        }
        return segment;
    }

    /** Opens a segment of an earlier process, for reading only. */
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

    /**
     * Appends to the file.
     *
     * @throws IOException when a write fails; the segment is then unchanged
     */
    void append(ByteBuffer... parts) throws IOException {
        long position = size;
        try {
            for (ByteBuffer part : parts) {
                while (part.hasRemaining()) {
                    position += channel.write(part, position);
                }
            }
        } catch (IOException e) {
            // Bytes behind the last complete record do not count; the next append overwrites them.
            throw new IOException(path + ": " + e.getMessage(), e);
        }
        size = position;
    }

    void force() throws IOException {
        channel.force(false);
    }

    /**
     * Adds a reference. Returns false when the segment was deleted and its last reader has
     * finished.
     */
    synchronized boolean retain() {
        if (references == 0) {
            return false;
        }
        references++;
        return true;
    }

    synchronized void release() {
        references--;
        if (references == 0) {
            try {
                channel.close();
            } catch (IOException e) {
                // A failed close loses nothing: all reads are done, and the written bytes are in
                // the kernel.
                return;
            }
        }
    }

    /** Deletes the file and releases the log's reference. Readers may still read it. */
    void delete() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // The next start finds the file and drops it as the oldest.
        }
        release();
    }
}
