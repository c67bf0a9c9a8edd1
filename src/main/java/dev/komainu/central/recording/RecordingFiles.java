package dev.komainu.central.recording;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of one recording: append-only, numbered, limited in bytes together. Each run of the
 * service begins a file. Not forced to the disk. Belongs to one thread.
 */
final class RecordingFiles implements AutoCloseable {

    static final String SUFFIX = ".rec";
    static final int FILE_HEADER = 8;
    static final int MAGIC = 0x4B524331; // KRC1

    private static final long LARGEST_FILE = 64L << 20;

    private record Numbered(Path path, long size) {}

    /** A source of the block that each file of a run but the first begins with. */
    @FunctionalInterface
    interface FirstBlock {
        @Nullable
        ByteBuffer bytes();
    }

    private final Path directory;
    private final long limit;
    private final FirstBlock first;
    private final ArrayDeque<Numbered> earlier = new ArrayDeque<>();
    private @Nullable FileChannel out;
    private Path current;
    private long currentSize;
    private long nextNumber = 1;
    private long deleted;
    private boolean begun;

    RecordingFiles(Path directory, long limit, FirstBlock first) throws IOException {
        this.directory = directory;
        this.limit = limit;
        this.first = first;
        this.current = directory;
        PrivateFiles.directory(directory, "*" + SUFFIX);
        for (Path path : in(directory)) {
            earlier.addLast(new Numbered(path, Files.size(path)));
            nextNumber = numberOf(path) + 1;
        }
    }

    /** Returns the files of a recording, oldest first. */
    static List<Path> in(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(path -> path.getFileName().toString().matches("[0-9]{16}\\.rec"))
                    .sorted()
                    .toList();
        }
    }

    private static long numberOf(Path path) {
        String name = path.getFileName().toString();
        return Long.parseLong(name.substring(0, name.length() - SUFFIX.length()));
    }

    static ByteBuffer header() {
        return ByteBuffer.allocate(FILE_HEADER).putInt(MAGIC).putInt(0).flip();
    }

    /**
     * Appends a block. Begins another file when this one is full, and deletes the oldest files
     * beyond the limit.
     *
     * @throws IOException when the disk refuses; the next block begins another file
     */
    void append(ByteBuffer block) throws IOException {
        try {
            if (out != null && currentSize + block.remaining() > fileLimit()) {
                finishFile();
            }
            FileChannel to = out == null ? begin() : out;
            currentSize += write(to, block);
        } catch (IOException e) {
            finishFile();
            throw e;
        }
        while (!earlier.isEmpty() && total() > limit) {
            Files.deleteIfExists(earlier.removeFirst().path());
            deleted++;
        }
    }

    /** Returns the number of files deleted so far because of the limit. */
    long deleted() {
        return deleted;
    }

    private long fileLimit() {
        return Math.min(LARGEST_FILE, limit / 8);
    }

    private long total() {
        return currentSize + earlier.stream().mapToLong(Numbered::size).sum();
    }

    private FileChannel begin() throws IOException {
        current = directory.resolve(String.format(Locale.ROOT, "%016d%s", nextNumber, SUFFIX));
        FileChannel file =
                PrivateFiles.open(current, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        nextNumber++;
        out = file;
        currentSize = write(file, header());
        // The first file of a run contains the facts where they arrived.
        ByteBuffer facts = begun ? first.bytes() : null;
        begun = true;
        if (facts != null) {
            currentSize += write(file, facts);
        }
        return file;
    }

    private void finishFile() throws IOException {
        FileChannel channel = out;
        out = null;
        if (channel != null) {
            earlier.addLast(new Numbered(current, currentSize));
            currentSize = 0;
            channel.close();
        }
    }

    private static long write(FileChannel to, ByteBuffer bytes) throws IOException {
        long written = 0;
        while (bytes.hasRemaining()) {
            written += to.write(bytes);
        }
        return written;
    }

    @Override
    public void close() throws IOException {
        finishFile();
    }
}
