package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.clickhouse.RowBinaryReader;
import dev.komainu.central.store.RecordServerFigures.Disk;
import dev.komainu.central.store.RecordServerFigures.Member;
import dev.komainu.central.store.RecordServerFigures.Table;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    private final ClickHouseCluster cluster;
    private final Clock clock;
    private volatile @Nullable RecordServerFigures newest;
    private volatile boolean isCurrent;

    ClickHouseMeter(ClickHouseCluster cluster, Clock clock) {
        this.cluster = cluster;
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
        if (!cluster.isCluster()) {
            return read(cluster.servers().getFirst());
        }
        List<Member> members = new ArrayList<>();
        Set<String> shards = new HashSet<>();
        RecordServerFigures all = null;
        SQLException failure = null;
        for (ClickHouseClient server : cluster.servers()) {
            try {
                Member member = member(server);
                if (shards.add(member.shard())) {
                    RecordServerFigures one = read(server);
                    all = all == null ? one : with(all, one);
                }
                members.add(member);
            } catch (SQLException e) {
                failure = e;
                members.add(failed(server, e));
            }
        }
        if (all == null) {
            throw failure == null ? new SQLException("no server") : failure;
        }
        return all.with(members.stream().map(this::withSince).toList());
    }

    private Member member(ClickHouseClient server) throws SQLException {
        ClickHouseCluster.Member macros = cluster.member(server);
        return server.queryPromptly(
                "SELECT toInt64(max(is_readonly)), toInt64(sum(inserts_in_queue)),"
                        + " toInt64(max(absolute_delay)) FROM system.replicas WHERE "
                        + ours(server),
                row -> row.next()
                        ? new Member(
                                server.address().toString(),
                                macros.shard(),
                                macros.replica(),
                                null,
                                row.int64() > 0,
                                row.int64(),
                                row.int64(),
                                null)
                        : failed(server, new SQLException("no replicas")));
    }

    /** Returns a server that could not be measured, with the macros that it had before. */
    private Member failed(ClickHouseClient server, SQLException failure) {
        String address = server.address().toString();
        Member known = before(address);
        return new Member(
                address,
                known == null ? "" : known.shard(),
                known == null ? "" : known.replica(),
                String.valueOf(failure.getMessage()),
                false,
                0,
                0,
                null);
    }

    private @Nullable Member before(String address) {
        RecordServerFigures before = newest;
        return before == null
                ? null
                : before.members().stream()
                        .filter(each -> each.address().equals(address))
                        .findFirst()
                        .orElse(null);
    }

    /** Adds since when a server is not complete. */
    private Member withSince(Member member) {
        Member known = before(member.address());
        Instant since = known == null || known.since() == null ? clock.instant() : known.since();
        return member.isComplete() ? member : member.since(since);
    }

    /** Adds the figures of another shard. */
    private static RecordServerFigures with(RecordServerFigures all, RecordServerFigures one) {
        Map<String, Table> tables = new LinkedHashMap<>();
        all.tables().forEach(table -> tables.put(table.name(), table));
        one.tables().stream()
                .filter(table -> ClickHouseTables.WITH_KEYS.contains(table.name()))
                .forEach(table -> tables.merge(table.name(), table, ClickHouseMeter::sum));
        Disk disk = all.disk();
        Disk other = one.disk();
        boolean isOtherFuller =
                other != null && (disk == null || other.freeBytes() < disk.freeBytes());
        return new RecordServerFigures(
                all.at(),
                all.version(),
                List.copyOf(tables.values()),
                isOtherFuller ? other : disk,
                Math.min(all.partsLimit(), one.partsLimit()),
                all.isLimitTold() && one.isLimitTold(),
                all.merges() + one.merges(),
                Math.max(all.longestMergeSeconds(), one.longestMergeSeconds()),
                List.of());
    }

    private static Table sum(Table a, Table b) {
        return new Table(
                a.name(),
                a.bytes() + b.bytes(),
                a.parts() + b.parts(),
                Math.max(a.mostParts(), b.mostParts()));
    }

    private RecordServerFigures read(ClickHouseClient server) throws SQLException {
        // Asked each time: the server may have been updated meanwhile.
        String version =
                server.queryPromptly("SELECT version()", row -> row.next() ? row.text() : "?");
        long limit = server.queryPromptly(
                "SELECT toInt64(value) FROM system.merge_tree_settings WHERE name = '" + PARTS_LIMIT
                        + "'",
                row -> row.next() ? row.int64() : 0);
        long[] merges = server.queryPromptly(
                "SELECT count(), toInt64(max(elapsed)) FROM system.merges WHERE " + ours(server),
                row -> row.next() ? new long[] {row.int64(), row.int64()} : new long[2]);
        return new RecordServerFigures(
                clock.instant(),
                version,
                List.copyOf(tables(server)),
                disk(server),
                limit > 0 ? limit : USUAL_PARTS_LIMIT,
                limit > 0,
                merges[0],
                merges[1],
                List.of());
    }

    private static String ours(ClickHouseClient server) {
        return "database = '" + server.address().database() + "'";
    }

    private static Collection<Table> tables(ClickHouseClient server) throws SQLException {
        Map<String, Table> tables = new LinkedHashMap<>();
        ClickHouseTables.ALL.forEach(name -> tables.put(name, new Table(name, 0, 0, 0)));
        List<Table> found = server.queryPromptly(
                "SELECT table, sum(b), sum(c), max(c) FROM (SELECT table, sum(bytes_on_disk) AS b,"
                        + " count() AS c FROM system.parts WHERE active AND " + ours(server)
                        + " GROUP BY table, partition) GROUP BY table",
                ClickHouseMeter::tables);
        found.forEach(table -> tables.put(table.name(), table));
        return tables.values();
    }

    private static List<Table> tables(RowBinaryReader row) throws IOException {
        List<Table> tables = new ArrayList<>();
        while (row.next()) {
            tables.add(new Table(
                    ClickHouseCluster.shown(row.text()), row.int64(), row.int64(), row.int64()));
        }
        return tables;
    }

    /** Returns the default disk, else that with the least room; 18.16 has no table of disks. */
    private static @Nullable Disk disk(ClickHouseClient server) throws SQLException {
        long exists = server.queryPromptly(
                "SELECT count() FROM system.tables WHERE database = 'system' AND name = 'disks'",
                row -> row.next() ? row.int64() : 0);
        if (exists == 0) {
            return null;
        }
        List<Disk> disks = server.queryPromptly(
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
