package dev.komainu.telemetry.report;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The batches on disk while the central service cannot be reached: a sequence of append-only
 * segments, limited in bytes. The oldest segment is read first and deleted when it is drained.
 * Guarded by {@link Outbox}.
 *
 * <p>A batch survives a crash of the process when it is appended, and a loss of power when it is
 * {@linkplain #force forced} after that. The read position in a segment is not stored; a restarted
 * process sends a partly drained segment from its beginning, which is harmless because of the
 * batches' names.
 */
final class Spool implements AutoCloseable {

    /** A factory that opens a segment for writing; tests replace it to simulate a full disk. */
    @FunctionalInterface
    interface Opener {
        FileChannel create(Path path) throws IOException;
    }

    private static final String SUFFIX = ".seg";

    private final Path directory;
    private final long limit;
    private final long segmentBytes;
    private final DropCounts drops;
    private final Opener opener;
    private final ArrayDeque<SpoolSegment> segments = new ArrayDeque<>();
    private @Nullable FileChannel out;
    private boolean forced = true;
    private @Nullable OutgoingBatch first;
    private long nextNumber = 1;

    /**
     * Opens the spool with the batches of an earlier process.
     *
     * @param limit bytes on disk; 0 disables the spool
     */
    Spool(Path directory, long limit, DropCounts drops, Opener opener) throws IOException {
        this.directory = directory;
        this.limit = limit;
        this.segmentBytes = Math.clamp(limit / 8, 64 << 10, 8 << 20);
        this.drops = drops;
        this.opener = opener;
        PrivateFiles.directory(directory, "*" + SUFFIX);
        for (Path path : segmentsOnDisk()) {
            SpoolSegment segment = new SpoolSegment(path);
            segment.scan();
            drops.add(DropCounts.SPOOL_CORRUPT, segment.takeDamaged());
            segments.add(segment);
            nextNumber = Math.max(nextNumber, numberOf(path) + 1);
        }
        dropDrained();
    }

    static FileChannel create(Path path) throws IOException {
        return PrivateFiles.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /**
     * Returns the segments on disk, oldest first. Versions before the first release wrote their
     * numbers in the digits of the default locale (Persian, Arabic, Bengali): any decimal digits
     * are read, ASCII digits are written.
     */
    private List<Path> segmentsOnDisk() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(path -> path.getFileName().toString().matches("\\p{Nd}{16}\\.seg"))
                    .sorted(Comparator.comparingLong(Spool::numberOf)
                            .thenComparing(Comparator.reverseOrder()))
                    .toList();
        }
    }

    private static long numberOf(Path path) {
        String name = path.getFileName().toString();
        return Long.parseLong(name.substring(0, name.length() - SUFFIX.length()));
    }

    boolean isOff() {
        return limit == 0;
    }

    boolean isEmpty() {
        return segments.isEmpty();
    }

    long bytes() {
        return segments.stream().mapToLong(SpoolSegment::size).sum();
    }

    long records() {
        return segments.stream().mapToLong(SpoolSegment::records).sum();
    }

    /**
     * Appends a batch; the oldest segments are deleted if their space is needed.
     *
     * @throws IOException when the disk refuses; the spool is then unchanged
     */
    void append(OutgoingBatch batch) throws IOException {
        ByteBuffer entry = SpoolSegment.entry(batch);
        int bytes = entry.remaining();
        if (SpoolSegment.FILE_HEADER + bytes > limit) {
            throw new IOException("batch of " + bytes + " bytes exceeds the spool's " + limit);
        }
        while (!segments.isEmpty() && bytes() + bytes + SpoolSegment.FILE_HEADER > limit) {
            drops.add(DropCounts.SPOOL_FULL, segments.getFirst().records());
            dropFirst();
        }
        SpoolSegment last = segments.peekLast();
        FileChannel to = out;
        if (to == null || last == null || last.size() + bytes > segmentBytes) {
            closeOut();
            last = new SpoolSegment(
                    directory.resolve(String.format(Locale.ROOT, "%016d%s", nextNumber, SUFFIX)));
            to = opener.create(last.path());
            nextNumber++;
            try {
                writeFully(to, SpoolSegment.fileHeader());
                writeFully(to, entry);
            } catch (IOException e) {
                to.close();
                Files.deleteIfExists(last.path());
                throw e;
            }
            out = to;
            segments.addLast(last);
        } else {
            try {
                writeFully(to, entry);
            } catch (IOException e) {
                // Part of an entry may follow the good ones: cut it off, or leave the segment
                // unchanged.
                to.truncate(last.size());
                throw e;
            }
        }
        forced = false;
        last.appended(bytes, batch.records());
    }

    /** Forces all appended batches to the disk; those of closed segments are there already. */
    void force() throws IOException {
        FileChannel channel = out;
        if (channel != null && !forced) {
            channel.force(false);
            forced = true;
        }
    }

    private static void writeFully(FileChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    /** Returns the oldest batch, or null. Damaged entries before it are skipped and counted. */
    @Nullable
    OutgoingBatch peek() throws IOException {
        while (first == null && !segments.isEmpty()) {
            SpoolSegment segment = segments.getFirst();
            OutgoingBatch batch = segment.peek();
            drops.add(DropCounts.SPOOL_CORRUPT, segment.takeDamaged());
            if (batch != null) {
                first = batch;
                return batch;
            }
            dropFirst();
        }
        return first;
    }

    /** Removes the oldest batch if it is this one; deletes a drained segment. */
    boolean remove(OutgoingBatch batch) throws IOException {
        OutgoingBatch oldest = peek();
        if (oldest == null || !oldest.id().equals(batch.id())) {
            return false;
        }
        segments.getFirst().skip(oldest);
        first = null;
        dropDrained();
        return true;
    }

    private void dropDrained() throws IOException {
        while (!segments.isEmpty() && segments.getFirst().isDrained()) {
            dropFirst();
        }
    }

    private void dropFirst() throws IOException {
        SpoolSegment segment = segments.removeFirst();
        first = null;
        if (segments.isEmpty()) {
            // Its file goes away: nothing in it needs the disk.
            forced = true;
            closeOut();
        }
        Files.deleteIfExists(segment.path());
    }

    private void closeOut() throws IOException {
        FileChannel channel = out;
        try {
            force();
        } finally {
            out = null;
            if (channel != null) {
                channel.close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        closeOut();
    }
}
