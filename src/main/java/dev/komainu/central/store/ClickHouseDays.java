package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import java.sql.SQLException;
import java.time.Clock;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
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

    private final ClickHouseClient client;
    private final ClickHouseTables tables;
    private final Retention records;
    private final Retention rollUps;
    private Supplier<CommittedRows> committed = () -> CommittedRows.NONE;
    private Consumer<CommittedRows> change = rows -> {};
    private volatile Size size = new Size(0, 0, 0);

    /**
     * The size of the database.
     *
     * @param bytes on the server's disk
     * @param parts number of parts; the server merges them in the background
     * @param mostParts highest number of parts of a table and day; from 150 on the server delays
     *     inserts, from 300 on it refuses them
     */
    record Size(long bytes, long parts, long mostParts) {}

    ClickHouseDays(ClickHouseClient client, StoreSettings settings, int rollUpDays, Clock clock) {
        this.client = client;
        this.tables = new ClickHouseTables(client);
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
        return new StorageUse(
                size.bytes(),
                rows.batches(),
                rows.days().size(),
                rows.days().isEmpty() ? null : rows.days().firstKey(),
                0,
                0,
                0);
    }

    /**
     * Measures the size.
     *
     * @return whether the server responded
     */
    boolean measure() {
        try {
            size = client.queryPromptly(
                    "SELECT sum(b), sum(c), max(c) FROM (SELECT sum(bytes_on_disk) AS b, count() AS c"
                            + parts() + " GROUP BY table, partition)",
                    row -> row.next()
                            ? new Size(row.int64(), row.int64(), row.int64())
                            : new Size(0, 0, 0));
            return true;
        } catch (SQLException e) {
            LOG.debug("Store: size not measured: {}", e.getMessage());
            return false;
        }
    }

    /** Returns the newest size. Any thread. */
    Size size() {
        return size;
    }

    private String parts() {
        return " FROM system.parts WHERE active AND database = '"
                + client.address().database() + "'";
    }

    private long total() throws SQLException {
        return client.query(
                "SELECT sum(bytes_on_disk)" + parts(), row -> row.next() ? row.int64() : 0);
    }

    private Map<LocalDate, Long> sizes(Set<String> of) throws SQLException {
        return client.query(
                "SELECT partition, sum(bytes_on_disk)" + parts() + " AND table IN ('"
                        + String.join("', '", of) + "') GROUP BY partition",
                row -> {
                    Map<LocalDate, Long> sizes = new TreeMap<>();
                    while (row.next()) {
                        String partition = row.text();
                        long size = row.int64();
                        try {
                            sizes.put(
                                    LocalDate.parse(partition, DateTimeFormatter.BASIC_ISO_DATE),
                                    size);
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
