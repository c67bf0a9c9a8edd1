package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables in ClickHouse. Each has one partition for each UTC day on which batches arrived, so
 * that an insert is one part, and a day is deleted at once. {@code key} is that of {@link Rows}:
 * the ordinal of its commit and the place in it.
 *
 * <p>ClickHouse knows no transaction over several tables. So a row counts only if its ordinal does:
 *
 * <ul>
 *   <li>{@code batches} and {@code rolled} say which ordinals were committed; a row is written
 *       there after all other rows of its ordinal were acknowledged;
 *   <li>{@code voided} says which ordinals never count, whatever arrives later;
 *   <li>{@code runs} says which central service may commit: the newest.
 * </ul>
 *
 * In a cluster ({@link ClickHouseCluster}) an insert of records is one part a shard.
 */
final class ClickHouseTables {

    private static final Logger LOG = LoggerFactory.getLogger(ClickHouseTables.class);

    static final String CONNECTIONS = "connections";
    static final String EXCHANGES = "exchanges";
    static final String WINDOWS = "windows";
    static final String ROLL_UPS = "rollups";
    static final String FACTS = "facts";
    static final String BATCHES = "batches";
    static final String ROLLED = "rolled";
    static final String VOIDED = "voided";
    static final String RUNS = "runs";

    /** Tables of single records, in the order in which a day is deleted: its names come last. */
    static final List<String> OF_A_DAY = List.of(CONNECTIONS, EXCHANGES, WINDOWS, FACTS, BATCHES);

    /** Tables of records, whose rows have a key. */
    static final List<String> WITH_KEYS = List.of(CONNECTIONS, EXCHANGES, WINDOWS, FACTS, ROLL_UPS);

    /** All tables, records first. */
    static final List<String> ALL = List.of(
            CONNECTIONS, EXCHANGES, WINDOWS, ROLL_UPS, FACTS, BATCHES, ROLLED, VOIDED, RUNS);

    private static final Map<String, String> COLUMNS = Map.of(
            CONNECTIONS,
            "day Date, key Int64, instant Int64, service String, source String, client String, state Int8,"
                    + " duration Int64, response Int64, targets String, body String",
            EXCHANGES,
            "day Date, key Int64, instant Int64, service String, source String, client String, outcome Int8,"
                    + " response Int64, target String, body String",
            WINDOWS,
            "day Date, key Int64, kind Int8, instant Int64, service String, source String, body String",
            ROLL_UPS,
            "day Date, key Int64, kind Int8, instant Int64, covered Int64, service String, source String, body String",
            FACTS,
            "day Date, key Int64, kind Int8, instant Int64, subject String, source String, body String",
            BATCHES,
            "day Date, source String, epoch Int64, sequence Int64, ordinal Int64, received Int64, records Int32,"
                    + " first Int64, last Int64",
            ROLLED,
            "day Date, ordinal Int64, upto Int64, first Int64, last Int64",
            VOIDED,
            "day Date, first Int64, last Int64",
            RUNS,
            "day Date, number Int64, name String");

    private static final Map<String, String> ORDERS = Map.of(
            CONNECTIONS, "service, instant",
            EXCHANGES, "service, instant",
            WINDOWS, "kind, service, instant",
            ROLL_UPS, "kind, service, instant",
            FACTS, "kind, subject, instant",
            BATCHES, "source, epoch, sequence",
            ROLLED, "ordinal",
            VOIDED, "first",
            RUNS, "number");

    /** First version that compresses a column by a method of its own. */
    private static final int CODECS_SINCE = 20;

    private final ClickHouseClient client;
    private final ClickHouseCluster cluster;

    ClickHouseTables(ClickHouseClient client, ClickHouseCluster cluster) {
        this.client = client;
        this.cluster = cluster;
    }

    /**
     * Creates the database and the tables, as far as they do not exist, on each server that
     * responds.
     */
    void create() throws SQLException {
        for (ClickHouseCluster.Member each : cluster.members()) {
            create(each.client());
        }
    }

    private void create(ClickHouseClient server) throws SQLException {
        String database = server.address().database();
        String version =
                server.queryOutside("SELECT version()", rows -> rows.next() ? rows.text() : "0");
        long exists = server.queryOutside(
                "SELECT count() FROM system.databases WHERE name = '" + database + "'",
                rows -> rows.next() ? rows.int64() : 0);
        if (exists == 0) {
            server.executeOutside("CREATE DATABASE IF NOT EXISTS " + database);
        }
        int year = year(version);
        if (year >= CODECS_SINCE) {
            // Each insert is a part when it is acknowledged, with its rows in one part.
            client.use("async_insert", "0");
        }
        for (Map.Entry<String, String> table : COLUMNS.entrySet()) {
            String columns = year < CODECS_SINCE
                    ? table.getValue()
                    : table.getValue().replace("body String", "body String CODEC(ZSTD(1))");
            create(server, table.getKey(), columns);
        }
        requireEngines(server);
        LOG.info("Store: ClickHouse {} at {}", version, server.address());
    }

    private void create(ClickHouseClient server, String table, String columns) throws SQLException {
        String local = cluster.local(table);
        server.execute("CREATE TABLE IF NOT EXISTS " + local + "(" + columns + ") ENGINE = "
                + cluster.engine(table) + " PARTITION BY toYYYYMMDD(day) ORDER BY ("
                + ORDERS.get(table) + ")");
        if (!local.equals(table)) {
            server.execute("CREATE TABLE IF NOT EXISTS " + table + "(" + columns + ") ENGINE = "
                    + cluster.overShards(table));
        }
    }

    /** Fails if the database was made with another {@code komainu.records.cluster}. */
    private void requireEngines(ClickHouseClient server) throws SQLException {
        String engine = server.queryOutside(
                "SELECT engine FROM system.tables WHERE database = '"
                        + server.address().database() + "' AND name = '" + CONNECTIONS + "'",
                row -> row.next() ? row.text() : "");
        if (engine.equals("Distributed") != cluster.isCluster()) {
            throw new SQLException(
                    "the database was created "
                            + (cluster.isCluster() ? "without" : "with")
                            + " komainu.records.cluster (expected: another database; `./komainu move` copies days)");
        }
    }

    /** Returns the year of a version such as {@code 18.16.1}. */
    private static int year(String version) {
        String first = version.split("\\.", 2)[0];
        return first.matches("\\d{1,4}") ? Integer.parseInt(first) : 0;
    }

    /** Returns a day as its partition is named. */
    static String partition(LocalDate day) {
        return day.format(DateTimeFormatter.BASIC_ISO_DATE);
    }

    void drop(String table, LocalDate day) throws SQLException {
        cluster.executeOnShards(
                table, "ALTER TABLE " + cluster.local(table) + " DROP PARTITION " + partition(day));
    }
}
