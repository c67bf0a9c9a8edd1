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
 * @param members the servers of the cluster, in the order in which they are asked; empty without
 *     one
 */
public record RecordServerFigures(
        Instant at,
        String version,
        List<Table> tables,
        @Nullable Disk disk,
        long partsLimit,
        boolean isLimitTold,
        long merges,
        long longestMergeSeconds,
        List<Member> members) {

    /**
     * The size of a table.
     *
     * @param bytes on the server's disk; in a cluster of one replica of each shard
     * @param parts active parts; the server merges them in the background
     * @param mostParts highest number of active parts of one day
     */
    public record Table(String name, long bytes, long parts, long mostParts) {}

    /**
     * A server of the cluster.
     *
     * @param shard its macro {@code shard}; empty if it never responded
     * @param replica its macro {@code replica}
     * @param failure why it could not be measured; {@code null} when it was
     * @param isReadOnly whether it has no connection to ZooKeeper, and stores nothing
     * @param waiting parts of others that it still has to copy
     * @param delaySeconds age of the oldest of them
     * @param since first measurement of those in a row in which it was not complete; {@code null}
     *     while it is
     */
    public record Member(
            String address,
            String shard,
            String replica,
            @Nullable String failure,
            boolean isReadOnly,
            long waiting,
            long delaySeconds,
            @Nullable Instant since) {

        /** Reports whether it has every row and may get more. */
        boolean isComplete() {
            return failure == null && !isReadOnly && waiting == 0;
        }

        /** Returns the same with the instant since which it is not complete. */
        Member since(@Nullable Instant instant) {
            return new Member(
                    address, shard, replica, failure, isReadOnly, waiting, delaySeconds, instant);
        }
    }

    /** Bytes of a disk. */
    public record Disk(long freeBytes, long totalBytes) {}

    public RecordServerFigures {
        tables = List.copyOf(tables);
        members = List.copyOf(members);
    }

    /** Returns the same figures with the servers of the cluster. */
    RecordServerFigures with(List<Member> found) {
        return new RecordServerFigures(
                at,
                version,
                tables,
                disk,
                partsLimit,
                isLimitTold,
                merges,
                longestMergeSeconds,
                found);
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

    /** Returns the servers of the cluster that are not complete. */
    public List<Member> incomplete() {
        return members.stream().filter(each -> each.since() != null).toList();
    }

    public long parts() {
        return tables.stream().mapToLong(Table::parts).sum();
    }

    /** Returns the highest number of parts of one table and day. */
    public long mostParts() {
        return tables.stream().mapToLong(Table::mostParts).max().orElse(0);
    }
}
