package dev.komainu.central.store;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the server of the telemetry, as of one measurement.
 *
 * @param at instant of the measurement
 * @param version version of its engine
 * @param tables the tables of this service, in a fixed order
 * @param disk disk of the tables; absent where the version has no table of disks
 * @param partsLimit number of parts of one table and day at which inserts are refused
 * @param isLimitTold whether the server told that number; else it is the documented default
 * @param merges merges of these tables in progress
 * @param longestMergeSeconds age of the oldest of them; 0 without one
 */
public record RecordServerFigures(
        Instant at,
        String version,
        List<Table> tables,
        @Nullable Disk disk,
        long partsLimit,
        boolean isLimitTold,
        long merges,
        long longestMergeSeconds) {

    /**
     * The size of a table.
     *
     * @param bytes on the server's disk
     * @param parts active parts; the server merges them in the background
     * @param mostParts highest number of active parts of one day
     */
    public record Table(String name, long bytes, long parts, long mostParts) {}

    /** Bytes of a disk. */
    public record Disk(long freeBytes, long totalBytes) {}

    public RecordServerFigures {
        tables = List.copyOf(tables);
    }

    public long bytes() {
        return tables.stream().mapToLong(Table::bytes).sum();
    }

    /** Returns the size of these tables. */
    long bytes(Set<String> names) {
        return tables.stream()
                .filter(table -> names.contains(table.name()))
                .mapToLong(Table::bytes)
                .sum();
    }

    public long parts() {
        return tables.stream().mapToLong(Table::parts).sum();
    }

    /** Returns the highest number of parts of one table and day. */
    public long mostParts() {
        return tables.stream().mapToLong(Table::mostParts).max().orElse(0);
    }
}
