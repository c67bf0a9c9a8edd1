package dev.komainu.central.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/**
 * The batches that arrived on one UTC day, in one DuckDB file that is attached under a name of its
 * own. A batch belongs to the day of its arrival, so that it lies in one file and is committed
 * there as a whole. The instants of its records may be older (a drained spool); so each file stores
 * the range of its instants.
 */
// One thread writes the volatile fields (the writer thread, before it the constructor of the
// store);
// readers need only the newest value.
@SuppressWarnings("NonAtomicVolatileUpdate")
final class DayFile {

    static final String SUFFIX = ".duckdb";

    private final LocalDate day;
    private final Path path;
    private volatile long minMicros = Long.MAX_VALUE;
    private volatile long maxMicros = Long.MIN_VALUE;
    private volatile long batches;
    private volatile long generation;

    // Guarded by this.
    private int pins;
    private boolean deleted;

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

    /**
     * Returns the attached database's name in SQL; it contains only digits and a letter, so it
     * needs no quotes.
     */
    String name() {
        return "d" + day.format(DateTimeFormatter.BASIC_ISO_DATE);
    }

    /** Extends the range of instants. Writer thread only. */
    void include(long micros) {
        minMicros = Math.min(minMicros, micros);
        maxMicros = Math.max(maxMicros, micros);
    }

    /**
     * Adds batches that were committed. Writer thread only.
     *
     * @param received instant of their arrival, microseconds since the epoch
     */
    void addBatches(long count, long received) {
        if (batches == 0) {
            generation = received;
        }
        batches += count;
    }

    /** Sets what the file holds. Called when it is attached. */
    void hold(long count, long firstReceived) {
        batches = count;
        generation = firstReceived;
    }

    /**
     * Returns the instant of arrival of the first batch: it distinguishes this file from a deleted
     * one of the same day.
     */
    long generation() {
        return generation;
    }

    /**
     * Keeps the file from being deleted until {@link #unpin}, for work that takes long: unlike the
     * lock of the store it makes no other thread wait.
     *
     * @return whether it is kept; false when it is deleted already
     */
    synchronized boolean pin() {
        pins += deleted ? 0 : 1;
        return !deleted;
    }

    synchronized void unpin() {
        pins--;
    }

    /** Marks the file as deleted, unless it is pinned; reports whether it may be deleted. */
    synchronized boolean markDeleted() {
        deleted = pins == 0;
        return deleted;
    }

    synchronized void unmarkDeleted() {
        deleted = false;
    }

    long batches() {
        return batches;
    }

    boolean overlaps(TimeRange range) {
        return maxMicros >= range.fromMicros() && minMicros < range.toMicros();
    }

    Path wal() {
        return path.resolveSibling(path.getFileName() + ".wal");
    }

    /** Returns the length of the write-ahead log; 0 without one. */
    long logBytes() {
        return size(wal());
    }

    long bytes() {
        return size(path) + size(wal());
    }

    /**
     * Returns a mark that changes with the content of the file; empty while a part of the content
     * is in the write-ahead log only.
     */
    Optional<String> mark() {
        if (size(wal()) > 0) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.size(path) + ":"
                    + Files.getLastModifiedTime(path).toMillis() + ":" + batches);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static long size(Path path) {
        try {
            return Files.exists(path) ? Files.size(path) : 0;
        } catch (IOException e) {
            return 0;
        }
    }
}
