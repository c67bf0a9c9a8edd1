package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseLogSettings;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server's tables of its own logs, {@code system.*_log}.
 *
 * @param tables those that exist; empty also before the first look
 * @param isBound whether this service drops their old partitions
 * @param mostBytes limit of their total size
 * @param keptDays age at which a partition is dropped
 * @param dropped partitions that were dropped since the start
 * @param failure why the newest look or drop failed; absent when it did not
 */
public record SystemLogUse(
        List<Table> tables,
        boolean isBound,
        long mostBytes,
        int keptDays,
        long dropped,
        @Nullable String failure) {

    /**
     * A table of logs.
     *
     * @param oldest newest day of its oldest partition; absent when it is empty
     */
    public record Table(
            String name,
            long bytes,
            int partitions,
            @Nullable LocalDate oldest) {}

    /** Returns the key of the setting that allows the service to drop partitions. */
    public String setting() {
        return ClickHouseLogSettings.BOUND_KEY;
    }

    public SystemLogUse {
        tables = List.copyOf(tables);
    }

    public long bytes() {
        return tables.stream().mapToLong(Table::bytes).sum();
    }
}
