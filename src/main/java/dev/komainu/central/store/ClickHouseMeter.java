package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.clickhouse.RowBinaryReader;
import dev.komainu.central.store.RecordServerFigures.Disk;
import dev.komainu.central.store.RecordServerFigures.Table;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The measurement of a ClickHouse server by its tables {@code system.*}, of which 18.16 lacks some.
 * Any thread; measurements follow one another.
 */
final class ClickHouseMeter {

    private static final Logger LOG = LoggerFactory.getLogger(ClickHouseMeter.class);

    /** The default of {@code parts_to_throw_insert} until 23.6; later versions accept more. */
    static final long USUAL_PARTS_LIMIT = 300;

    private static final String PARTS_LIMIT = "parts_to_throw_insert";

    private final ClickHouseClient client;
    private final Clock clock;
    private volatile @Nullable RecordServerFigures newest;
    private volatile boolean isCurrent;

    ClickHouseMeter(ClickHouseClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    /** Returns the newest measurement that succeeded; {@code null} before the first. */
    @Nullable
    RecordServerFigures newest() {
        return newest;
    }

    /** Reports whether the newest measurement succeeded. */
    boolean isCurrent() {
        return isCurrent;
    }

    /** Measures the server. After a failure the former figures stay. */
    synchronized void measure() {
        try {
            newest = read();
            isCurrent = true;
        } catch (SQLException e) {
            isCurrent = false;
            LOG.debug("Store: server not measured: {}", e.getMessage());
        }
    }

    private RecordServerFigures read() throws SQLException {
        // Asked each time: the server may have been updated meanwhile.
        String version =
                client.queryPromptly("SELECT version()", row -> row.next() ? row.text() : "?");
        long limit = client.queryPromptly(
                "SELECT toInt64(value) FROM system.merge_tree_settings WHERE name = '" + PARTS_LIMIT
                        + "'",
                row -> row.next() ? row.int64() : 0);
        long[] merges = client.queryPromptly(
                "SELECT count(), toInt64(max(elapsed)) FROM system.merges WHERE " + ours(),
                row -> row.next() ? new long[] {row.int64(), row.int64()} : new long[2]);
        return new RecordServerFigures(
                clock.instant(),
                version,
                List.copyOf(tables()),
                disk(),
                limit > 0 ? limit : USUAL_PARTS_LIMIT,
                limit > 0,
                merges[0],
                merges[1]);
    }

    private String ours() {
        return "database = '" + client.address().database() + "'";
    }

    private Collection<Table> tables() throws SQLException {
        Map<String, Table> tables = new LinkedHashMap<>();
        ClickHouseTables.ALL.forEach(name -> tables.put(name, new Table(name, 0, 0, 0)));
        List<Table> found = client.queryPromptly(
                "SELECT table, sum(b), sum(c), max(c) FROM (SELECT table, sum(bytes_on_disk) AS b,"
                        + " count() AS c FROM system.parts WHERE active AND " + ours()
                        + " GROUP BY table, partition) GROUP BY table",
                ClickHouseMeter::tables);
        found.forEach(table -> tables.put(table.name(), table));
        return tables.values();
    }

    private static List<Table> tables(RowBinaryReader row) throws IOException {
        List<Table> tables = new ArrayList<>();
        while (row.next()) {
            tables.add(new Table(row.text(), row.int64(), row.int64(), row.int64()));
        }
        return tables;
    }

    /** Returns the default disk, else that with the least room; 18.16 has no table of disks. */
    private @Nullable Disk disk() throws SQLException {
        long exists = client.queryPromptly(
                "SELECT count() FROM system.tables WHERE database = 'system' AND name = 'disks'",
                row -> row.next() ? row.int64() : 0);
        if (exists == 0) {
            return null;
        }
        List<Disk> disks = client.queryPromptly(
                "SELECT toInt64(free_space), toInt64(total_space) FROM system.disks"
                        + " ORDER BY name != 'default', free_space LIMIT 1",
                ClickHouseMeter::disks);
        return disks.isEmpty() ? null : disks.getFirst();
    }

    private static List<Disk> disks(RowBinaryReader row) throws IOException {
        List<Disk> disks = new ArrayList<>();
        while (row.next()) {
            disks.add(new Disk(row.int64(), row.int64()));
        }
        return disks;
    }
}
