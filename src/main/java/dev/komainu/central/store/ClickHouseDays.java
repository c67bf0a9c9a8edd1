package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import java.sql.SQLException;
import java.time.Clock;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.unit.DataSize;

/**
 * The days in ClickHouse and their sizes, and the deletion of old ones: single records by the
 * limits of the store, roll-ups by an age of their own. Both count towards the limit on bytes, but
 * only single records are deleted for it. Writer thread only, except {@link #storage}.
 */
final class ClickHouseDays {

    private static final Logger LOG = LoggerFactory.getLogger(ClickHouseDays.class);

    /** Tables that are kept as long as roll-ups. */
    private static final Set<String> ROLL_UP_TABLES =
            Set.of(ClickHouseTables.ROLL_UPS, ClickHouseTables.ROLLED);

    private final ClickHouseCluster cluster;
    private final ClickHouseTables tables;
    private final Retention records;
    private final Retention rollUps;
    private Supplier<CommittedRows> committed = () -> CommittedRows.NONE;
    private Consumer<CommittedRows> change = rows -> {};
    private final Supplier<@Nullable RecordServerFigures> figures;

    /**
     * Creates it.
     *
     * @param figures newest measurement of the server
     */
    ClickHouseDays(
            ClickHouseClient client,
            ClickHouseCluster cluster,
            StoreSettings settings,
            int rollUpDays,
            Clock clock,
            Supplier<@Nullable RecordServerFigures> figures) {
        this.figures = figures;
        this.cluster = cluster;
        this.tables = new ClickHouseTables(client, cluster);
        this.records = new Retention(settings, clock, System::nanoTime, new Records());
        this.rollUps = new Retention(
                settings.withRetention(rollUpDays, DataSize.ofBytes(Long.MAX_VALUE)),
                clock,
                System::nanoTime,
                new Sums());
    }

    /** Names the owner of the state that the deletion of a day changes. */
    void attach(Supplier<CommittedRows> read, Consumer<CommittedRows> write) {
        committed = read;
        change = write;
    }

    void sweep(LocalDate today) {
        records.sweep(today);
        rollUps.sweep(today);
        forgetVoided(today);
    }

    /** Drops what was voided before the oldest day that still has rows. */
    private void forgetVoided(LocalDate today) {
        try {
            LocalDate oldest = today;
            Set<String> ofRows = new HashSet<>(ClickHouseTables.OF_A_DAY);
            ofRows.add(ClickHouseTables.ROLL_UPS);
            for (LocalDate day : sizes(ofRows).keySet()) {
                oldest = day.isBefore(oldest) ? day : oldest;
            }
            for (LocalDate day : sizes(Set.of(ClickHouseTables.VOIDED)).keySet()) {
                if (day.isBefore(oldest)) {
                    tables.drop(ClickHouseTables.VOIDED, day);
                }
            }
        } catch (SQLException e) {
            LOG.warn("Store: voided ordinals not forgotten, retry later: {}", e.getMessage());
        }
    }

    StorageUse storage() {
        CommittedRows rows = committed.get();
        RecordServerFigures newest = figures.get();
        long rollUpBytes = newest == null ? 0 : newest.bytes(ROLL_UP_TABLES);
        return new StorageUse(
                newest == null ? 0 : newest.bytes() - rollUpBytes,
                rows.batches(),
                rows.days().size(),
                rows.days().isEmpty() ? null : rows.days().firstKey(),
                0,
                rollUpBytes,
                0);
    }

    private long total() throws SQLException {
        return sizes(Set.copyOf(ClickHouseTables.ALL)).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Returns the bytes of each day, each row counted once. */
    private Map<LocalDate, Long> sizes(Set<String> of) throws SQLException {
        Map<LocalDate, Long> sizes = new TreeMap<>();
        List<ClickHouseClient> shards = cluster.ofEachShard();
        for (ClickHouseClient each : shards) {
            // Tables that decide are the same on all servers.
            List<String> tables = of.stream()
                    .map(cluster::local)
                    .filter(table -> each.equals(shards.getFirst()) || !of.contains(table))
                    .sorted()
                    .toList();
            addSizes(each, tables, sizes);
        }
        return sizes;
    }

    private static void addSizes(
            ClickHouseClient server, List<String> tables, Map<LocalDate, Long> sizes)
            throws SQLException {
        var unused = server.query(
                "SELECT partition, sum(bytes_on_disk) FROM system.parts WHERE active AND database = '"
                        + server.address().database() + "' AND table IN ('"
                        + String.join("', '", tables) + "') GROUP BY partition",
                row -> {
                    while (row.next()) {
                        String partition = row.text();
                        long size = row.int64();
                        try {
                            sizes.merge(
                                    LocalDate.parse(partition, DateTimeFormatter.BASIC_ISO_DATE),
                                    size,
                                    Long::sum);
                        } catch (DateTimeParseException e) {
                            // No partition of ours.
                        }
                    }
                    return sizes;
                });
    }

    /** The single records, with the names of their batches. */
    private final class Records implements StoredDays {

        @Override
        public Map<LocalDate, Long> bytesOfDays() throws SQLException {
            return sizes(Set.copyOf(ClickHouseTables.OF_A_DAY));
        }

        @Override
        public long bytes() throws SQLException {
            return total();
        }

        /** Queries leave the day out before its rows go; its names go last. */
        @Override
        public boolean delete(LocalDate day) throws SQLException {
            change.accept(committed.get().withoutDay(day));
            for (String table : ClickHouseTables.OF_A_DAY) {
                tables.drop(table, day);
            }
            return true;
        }
    }

    /** The roll-ups, with their marks. */
    private final class Sums implements StoredDays {

        @Override
        public Map<LocalDate, Long> bytesOfDays() throws SQLException {
            return sizes(Set.of(ClickHouseTables.ROLL_UPS));
        }

        @Override
        public long bytes() {
            return 0;
        }

        @Override
        public boolean delete(LocalDate day) throws SQLException {
            change.accept(committed.get().withoutRollUpsOf(day));
            tables.drop(ClickHouseTables.ROLL_UPS, day);
            tables.drop(ClickHouseTables.ROLLED, day);
            return true;
        }
    }
}
