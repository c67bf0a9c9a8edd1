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
 * The row of segments: appended to at its end, dropped at its beginning, segment by segment,
 * bounded in bytes. Only the writer changes it; looking is safe for all threads. A process never
 * appends to a segment of an earlier one.
 */
final class SegmentLog {

    private final Path directory;
    private final long limit;
    private final long segmentBytes;
    private final ConcurrentSkipListMap<Long, Segment> segments = new ConcurrentSkipListMap<>();
    private @Nullable Segment last;
    private long next = 1;
    /** Where the next record will lie at the earliest. */
    private volatile long end = DiskIndex.place(1, 0);

    SegmentLog(Path directory, long limit, long segmentBytes) {
        this.directory = directory;
        this.limit = limit;
        this.segmentBytes = segmentBytes;
    }

    /** Takes over what earlier processes left, oldest first. */
    List<Segment> takeOver() throws IOException {
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
     * locale (Persian, Arabic, Bengali). Those versions did not find them again and wrote no order
     * about them: what a purge removed since may still be in them, so none is used.
     *
     * @return how many there were
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

    /** Whether a record of so many bytes needs another segment. */
    boolean needsSegment(long bytes) {
        return last == null || last.size() + bytes > segmentBytes;
    }

    /**
     * A record is half a segment at most, what is written again of an old segment is mostly the
     * other half.
     */
    long mostRecordBytes() {
        return segmentBytes / 2 - Segment.HEADER;
    }

    /** What the last segment can still take. */
    long leftBytes() {
        Segment current = last;
        return current == null ? 0 : segmentBytes - current.size();
    }

    /**
     * Whether the oldest segments must go. There is room for one more than is kept: so the limit
     * holds also while some of the oldest is written again. Before the first segment of this
     * process nothing is kept free for that one: it makes room as it is begun.
     */
    boolean isOver() {
        Segment current = last;
        long others = bytes() - (current == null ? 0 : current.size());
        return segments.size() > 1 && others + (current == null ? 1 : 2) * segmentBytes > limit;
    }

    /** Begins another segment. */
    void begin() throws IOException {
        last = null;
        Segment fresh = Segment.create(directory, next);
        next++;
        segments.put(fresh.number(), fresh);
        last = fresh;
        end = DiskIndex.place(fresh.number(), fresh.size());
    }

    /** @return where it lies */
    long append(ByteBuffer... record) throws IOException {
        Segment to = last;
        if (to == null) {
            throw new IllegalStateException("no segment");
        }
        long place = DiskIndex.place(to.number(), to.size());
        to.append(record);
        end = DiskIndex.place(to.number(), to.size());
        return place;
    }

    /** Everything written so far lies before this place. */
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

    /** The oldest goes, with all its records. */
    void dropOldest() {
        var first = segments.pollFirstEntry();
        if (first != null) {
            if (first.getValue() == last) {
                last = null;
            }
            first.getValue().drop();
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

    /** Has the last segment's bytes on the disk, and closes all. */
    void close() throws IOException {
        Segment current = last;
        last = null;
        try {
            if (current != null) {
                current.force();
            }
        } finally {
            segments.values().forEach(Segment::letGo);
            segments.clear();
        }
    }
}
