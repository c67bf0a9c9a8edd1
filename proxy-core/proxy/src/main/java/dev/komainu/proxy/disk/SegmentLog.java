package dev.komainu.proxy.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The sequence of segments, bounded in bytes: records are appended at its end, segments are dropped
 * at its beginning. Only the writer changes it; reads are thread-safe. A process never appends to a
 * segment of an earlier process.
 */
final class SegmentLog {

    private final Path directory;
    private final long limit;
    private final long segmentBytes;
    private final ConcurrentSkipListMap<Long, Segment> segments = new ConcurrentSkipListMap<>();
    private @Nullable Segment last;
    private long next = 1;
    /** The lowest place that the next record can have. */
    private volatile long end = DiskIndex.place(1, 0);

    SegmentLog(Path directory, long limit, long segmentBytes) {
        this.directory = directory;
        this.limit = limit;
        this.segmentBytes = segmentBytes;
    }

    /** Opens the segments of earlier processes. Returns them, oldest first. */
    List<Segment> openExisting() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path path :
                    files.filter(file -> isNamed(file, "[0-9]")).sorted().toList()) {
                long number = Long.parseLong(path.getFileName().toString().substring(0, 16));
                segments.put(number, Segment.open(path, number));
                next = Math.max(next, number + 1);
            }
        }
        end = DiskIndex.place(next, 0);
        return List.copyOf(segments.values());
    }

    /**
     * Deletes segments that versions before the first release numbered in the digits of the default
     * locale (Persian, Arabic, Bengali). Those versions did not find them again and wrote no purge
     * order for them: they may still contain purged records, so none is used.
     *
     * @return the number of deleted segments
     */
    int dropForeignDigits() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> foreign = files.filter(
                            file -> isNamed(file, "\\p{Nd}") && !isNamed(file, "[0-9]"))
                    .toList();
            for (Path file : foreign) {
                Files.delete(file);
            }
            return foreign.size();
        }
    }

    private static boolean isNamed(Path file, String digit) {
        return file.getFileName().toString().matches(digit + "{16}\\" + Segment.SUFFIX);
    }

    /** Reports whether a record of so many bytes needs another segment. */
    boolean needsSegment(long bytes) {
        return last == null || last.size() + bytes > segmentBytes;
    }

    /**
     * Returns the limit of a record's length: half a segment. Rewritten records of an old segment
     * mostly fill the other half.
     */
    long maxRecordBytes() {
        return segmentBytes / 2 - Segment.HEADER;
    }

    /** Returns the bytes left in the last segment. */
    long remainingBytes() {
        Segment current = last;
        return current == null ? 0 : segmentBytes - current.size();
    }

    /**
     * Reports whether the oldest segments must go. One segment stays free beside those in use, so
     * that the limit also holds while records of the oldest are rewritten. Before this process has
     * a segment of its own, nothing is kept free for it: room is made when it is created.
     */
    boolean isOverLimit() {
        Segment current = last;
        long others = bytes() - (current == null ? 0 : current.size());
        return segments.size() > 1 && others + (current == null ? 1 : 2) * segmentBytes > limit;
    }

    /** Creates another segment. */
    void startSegment() throws IOException {
        last = null;
        Segment created = Segment.create(directory, next);
        next++;
        segments.put(created.number(), created);
        last = created;
        end = DiskIndex.place(created.number(), created.size());
    }

    /** Appends a record and returns its place. */
    long append(ByteBuffer... record) throws IOException {
        Segment segment = last;
        if (segment == null) {
            throw new IllegalStateException("no segment");
        }
        long place = DiskIndex.place(segment.number(), segment.size());
        segment.append(record);
        end = DiskIndex.place(segment.number(), segment.size());
        return place;
    }

    /** Returns the end of the log: all records written so far lie before this place. */
    long end() {
        return end;
    }

    @Nullable
    Segment segment(long number) {
        return segments.get(number);
    }

    @Nullable
    Segment oldest() {
        var first = segments.firstEntry();
        return first == null ? null : first.getValue();
    }

    /** Deletes the oldest segment with all its records. */
    void dropOldest() {
        var first = segments.pollFirstEntry();
        if (first != null) {
            if (first.getValue() == last) {
                last = null;
            }
            first.getValue().delete();
        }
    }

    int count() {
        return segments.size();
    }

    long bytes() {
        long sum = 0;
        for (Segment segment : segments.values()) {
            sum += segment.size();
        }
        return sum;
    }

    /** Returns the number of the next segment. */
    long next() {
        return next;
    }

    /**
     * Forces the bytes of all segments to the disk, those of earlier processes included, which may
     * have been killed, and closes the segments.
     */
    void close() throws IOException {
        last = null;
        try {
            for (Segment segment : segments.values()) {
                segment.force();
            }
        } finally {
            segments.values().forEach(Segment::release);
            segments.clear();
        }
    }
}
