package dev.komainu.central.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;

/**
 * One UTC day's arrivals in one DuckDB file, attached under a name of its own. Batches belong to
 * the day they arrived, so that each lies in one file and is committed there whole; the instants
 * inside may be older (a drained spool), which is why each file remembers the range of instants it
 * holds.
 */
final class DayFile {

    static final String SUFFIX = ".duckdb";

    private final LocalDate day;
    private final Path path;
    private volatile long minAt = Long.MAX_VALUE;
    private volatile long maxAt = Long.MIN_VALUE;
    private volatile long batches;

    DayFile(Path directory, LocalDate day) {
        this.day = day;
        this.path = directory.resolve(day + SUFFIX);
    }

    LocalDate day() {
        return day;
    }

    Path path() {
        return path;
    }

    /** The attached database's name in SQL; only digits and a letter, so it needs no quotes. */
    String name() {
        return "d" + day.format(DateTimeFormatter.BASIC_ISO_DATE);
    }

    /** Writer thread only. */
    void saw(long at) {
        minAt = Math.min(minAt, at);
        maxAt = Math.max(maxAt, at);
    }

    void addBatches(long count) {
        batches += count;
    }

    long batches() {
        return batches;
    }

    boolean overlaps(TimeRange range) {
        return maxAt >= range.fromMicros() && minAt < range.toMicros();
    }

    Path wal() {
        return path.resolveSibling(path.getFileName() + ".wal");
    }

    long bytes() {
        return size(path) + size(wal());
    }

    private static long size(Path path) {
        try {
            return Files.exists(path) ? Files.size(path) : 0;
        } catch (IOException e) {
            return 0;
        }
    }
}
