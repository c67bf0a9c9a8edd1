package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.clickhouse.ClickHouseLogSettings;
import dev.komainu.central.clickhouse.RowBinaryReader;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's tables {@code system.*_log}: their sizes, and the deletion of old partitions where
 * the operator allows it. Partitions are dropped, because version 18.16 has no TTL, and newer
 * versions set a log aside whose TTL is not that of their configuration. Thread of
 * {@link ClickHouseWatch}; {@link #use} any thread.
 */
final class SystemLogs {

    private static final Logger LOG = LoggerFactory.getLogger(SystemLogs.class);

    /** Names of logs; newer versions set an older form of a log aside as {@code query_log_0}. */
    private static final String NAMES = "match(%s, '^[a-z_]+_log(_[0-9]+)?$')";

    private final ClickHouseClient client;
    private final ClickHouseLogSettings settings;
    private final Clock clock;
    private long dropped;
    private volatile SystemLogUse use;

    /**
     * A partition of a log.
     *
     * @param id the server's name of it
     * @param last day of its newest row; of its newest part where the partition has no date
     */
    private record Partition(String table, String id, long bytes, LocalDate last) {}

    SystemLogs(ClickHouseClient client, ClickHouseLogSettings settings, Clock clock) {
        this.client = client;
        this.settings = settings;
        this.clock = clock;
        this.use = use(List.of(), List.of(), null);
    }

    /** Returns the sizes at the newest look. */
    SystemLogUse use() {
        return use;
    }

    /** Measures the logs, and drops their old partitions if that is allowed. */
    void look() {
        try {
            List<String> tables = client.queryPromptly(
                    "SELECT name FROM system.tables WHERE database = 'system' AND engine LIKE"
                            + " '%MergeTree' AND " + NAMES.replace("%s", "name")
                            + " ORDER BY name",
                    SystemLogs::names);
            List<Partition> partitions = new ArrayList<>(
                    tables.isEmpty()
                            ? List.of()
                            : client.queryPromptly(
                                    "SELECT table, partition_id, sum(bytes_on_disk),"
                                            + " toInt64(toUInt16(max(max_date))),"
                                            + " toInt64(toUInt32(max(modification_time)))"
                                            + " FROM system.parts WHERE active AND database = 'system' AND "
                                            + NAMES.replace("%s", "table")
                                            + " GROUP BY table, partition_id",
                                    SystemLogs::partitions));
            String failure = settings.bound() ? bound(partitions) : null;
            use = use(tables, partitions, failure);
        } catch (SQLException e) {
            SystemLogUse before = use;
            use = new SystemLogUse(
                    before.tables(),
                    before.isBound(),
                    before.mostBytes(),
                    before.keptDays(),
                    dropped,
                    e.getMessage());
        }
    }

    private static List<String> names(RowBinaryReader row) throws IOException {
        List<String> names = new ArrayList<>();
        while (row.next()) {
            names.add(row.text());
        }
        return names;
    }

    private static List<Partition> partitions(RowBinaryReader row) throws IOException {
        List<Partition> partitions = new ArrayList<>();
        while (row.next()) {
            String table = row.text();
            String id = row.text();
            long bytes = row.int64();
            long day = row.int64();
            long modified = Math.floorDiv(row.int64(), 86_400L);
            partitions.add(new Partition(
                    table, id, bytes, LocalDate.ofEpochDay(day > 0 ? day : modified)));
        }
        return partitions;
    }

    /**
     * Drops the partitions that are too old, then the oldest ones while all are too large; the one
     * that is being written at last, because the limit must hold with a partition for each month.
     *
     * @param partitions changed to those that are left
     * @return why a drop failed; {@code null} when none did
     */
    private @Nullable String bound(List<Partition> partitions) {
        partitions.sort(Comparator.comparing(Partition::last)
                .thenComparing(Comparator.comparingLong(Partition::bytes).reversed()));
        LocalDate oldest =
                LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC).minusDays(settings.days());
        long total = partitions.stream().mapToLong(Partition::bytes).sum();
        String failure = null;
        for (Partition each : List.copyOf(partitions)) {
            if (each.last().isBefore(oldest) || total > settings.bytes().toBytes()) {
                try {
                    client.executeOutside("ALTER TABLE system." + each.table()
                            + " DROP PARTITION ID " + ClickHouseFilter.literal(each.id()));
                    partitions.remove(each);
                    total -= each.bytes();
                    dropped++;
                    LOG.info(
                            "Store: dropped system.{}, rows until {}, {} bytes",
                            each.table(),
                            each.last(),
                            each.bytes());
                } catch (SQLException e) {
                    failure = Objects.requireNonNullElse(failure, e.getMessage());
                    LOG.warn("Store: system.{} not bounded: {}", each.table(), e.getMessage());
                }
            }
        }
        return failure;
    }

    private SystemLogUse use(
            List<String> tables, List<Partition> partitions, @Nullable String failure) {
        return new SystemLogUse(
                tables.stream().map(name -> table(name, partitions)).toList(),
                settings.bound(),
                settings.bytes().toBytes(),
                settings.days(),
                dropped,
                failure);
    }

    private static SystemLogUse.Table table(String name, List<Partition> all) {
        List<Partition> of =
                all.stream().filter(each -> each.table().equals(name)).toList();
        return new SystemLogUse.Table(
                name,
                of.stream().mapToLong(Partition::bytes).sum(),
                of.size(),
                of.stream().map(Partition::last).min(Comparator.naturalOrder()).orElse(null));
    }
}
