package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.clickhouse.ClickHouseClusterSettings;
import dev.komainu.central.clickhouse.ClickHouseException;
import dev.komainu.central.clickhouse.ClickHouseSettings;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers with the tables: one, or the shards and replicas of a cluster. In a cluster a table
 * of records is spread over the shards, under the name {@code …_local}, behind a table of the
 * engine {@code Distributed} with the usual name. The tables that decide what counts are on every
 * server, as replicas of one another. Any thread.
 *
 * <p>A replica may lack what another one has acknowledged. So whatever must be complete waits for
 * {@link #awaitReplicas} or {@link #synchronize} first; pages of records do not wait, but servers
 * are asked in one order, so that the newest rows are usually there.
 */
final class ClickHouseCluster {

    private static final Logger LOG = LoggerFactory.getLogger(ClickHouseCluster.class);
    private static final long PAUSE_MILLIS = 50;
    private static final String LOCAL = "_local";

    private final ClickHouseClient client;
    private final @Nullable String name;
    private final Duration timeout;
    private final List<ClickHouseClient> servers;

    /** Creates it for the client's servers; asks none of them. */
    ClickHouseCluster(ClickHouseClient client, ClickHouseSettings settings) {
        ClickHouseClusterSettings cluster = settings.cluster();
        this.client = client;
        this.name = cluster.name();
        this.timeout = settings.timeout();
        this.servers = client.ofEachServer();
        if (name != null) {
            String seconds = Long.toString(timeout.toSeconds());
            client.use("insert_distributed_sync", "1");
            client.use("insert_distributed_timeout", seconds);
            client.use(
                    "insert_quorum", Integer.toString(cluster.quorum() > 1 ? cluster.quorum() : 0));
            client.use("insert_quorum_timeout", Long.toString(timeout.toMillis()));
            // Writes and reads take the first replica that responds: rows are read where they were
            // written.
            client.use("load_balancing", "in_order");
            client.use("connect_timeout_with_failover_ms", "1000");
            client.use("receive_timeout", seconds);
            client.use("send_timeout", seconds);
        }
    }

    boolean isCluster() {
        return name != null;
    }

    /** Returns the name of the table with the rows of one shard. */
    String local(String table) {
        return isCluster() && ClickHouseTables.WITH_KEYS.contains(table) ? table + LOCAL : table;
    }

    /** Returns the engine of a table with rows. */
    String engine(String table) {
        if (!isCluster()) {
            return "MergeTree";
        }
        String database = client.address().database();
        // A table that decides is one for all servers, others are one for each shard.
        return table.equals(local(table))
                ? "ReplicatedMergeTree('/clickhouse/tables/" + database + "/" + table
                        + "', '{shard}-{replica}')"
                : "ReplicatedMergeTree('/clickhouse/tables/" + database + "/{shard}/" + table
                        + "', '{replica}')";
    }

    /** Returns the engine that spreads a table over the shards: a batch is on one of them. */
    String overShards(String table) {
        return "Distributed(" + name + ", " + client.address().database() + ", " + local(table)
                + ", bitShiftRight(key, " + Rows.KEY_BITS + "))";
    }

    /** Returns the name of a table as queries use it. */
    static String shown(String local) {
        return local.endsWith(LOCAL) ? local.substring(0, local.length() - LOCAL.length()) : local;
    }

    /** Returns the clients of the servers, also of those that do not respond. */
    List<ClickHouseClient> servers() {
        return servers;
    }

    /** A server that responds. */
    record Member(ClickHouseClient client, String shard, String replica) {}

    /**
     * Returns the servers that respond.
     *
     * @throws SQLException when a shard has none, or a server has no macros
     */
    List<Member> members() throws SQLException {
        String cluster = name;
        if (cluster == null) {
            return List.of(new Member(client, "", ""));
        }
        List<Member> found = new ArrayList<>();
        SQLException failure = null;
        for (ClickHouseClient each : servers) {
            try {
                found.add(member(each));
            } catch (ClickHouseException e) {
                if (!e.isAway()) {
                    throw e;
                }
                failure = e;
                LOG.warn("Store: {}: {}", each.address(), e.getMessage());
            }
        }
        if (found.isEmpty() && failure != null) {
            throw failure;
        }
        requireShards(found, cluster);
        return found;
    }

    /** Asks a server for its macros. */
    Member member(ClickHouseClient server) throws SQLException {
        Map<String, String> macros = server.queryOutside(
                "SELECT macro, substitution FROM system.macros WHERE macro IN ('shard', 'replica')",
                row -> {
                    Map<String, String> found = new HashMap<>();
                    while (row.next()) {
                        found.put(row.text(), row.text());
                    }
                    return found;
                });
        String shard = macros.getOrDefault("shard", "");
        String replica = macros.getOrDefault("replica", "");
        if (shard.isEmpty() || replica.isEmpty()) {
            throw new SQLException(server.address() + " has the macros " + macros
                    + " (expected: the macros `shard` and `replica` in its settings)");
        }
        return new Member(server, shard, replica);
    }

    private void requireShards(List<Member> found, String cluster) throws SQLException {
        long[] told = found.getFirst()
                .client()
                .queryOutside(
                        "SELECT toInt64(uniqExact(shard_num)), toInt64(count()) FROM system.clusters WHERE cluster = '"
                                + cluster + "'",
                        row -> row.next() ? new long[] {row.int64(), row.int64()} : new long[2]);
        if (told[1] != servers.size()) {
            throw new SQLException("the cluster `" + cluster + "` has " + told[1]
                    + " servers in the settings of " + found.getFirst().client().address()
                    + " (expected: the " + servers.size() + " of komainu.records.url)");
        }
        long shards = found.stream().map(Member::shard).distinct().count();
        if (shards != told[0]) {
            throw ClickHouseException.away("ClickHouse: " + (told[0] - shards) + " of " + told[0]
                    + " shards have no server that responds");
        }
    }

    /** Returns one server of each shard, the first that responds. */
    List<ClickHouseClient> ofEachShard() throws SQLException {
        Map<String, ClickHouseClient> first = new LinkedHashMap<>();
        for (Member each : members()) {
            first.putIfAbsent(each.shard(), each.client());
        }
        return List.copyOf(first.values());
    }

    /** Carries out a statement about a table on a server of each shard that has a part of it. */
    void executeOnShards(String table, String statement) throws SQLException {
        if (table.equals(local(table))) {
            client.execute(statement);
            return;
        }
        for (ClickHouseClient each : ofEachShard()) {
            each.execute(statement);
        }
    }

    /** Waits until the server that is asked has all rows of a small table. */
    void synchronize(String table) throws SQLException {
        if (isCluster()) {
            client.execute("SYSTEM SYNC REPLICA " + client.address().database() + "." + table);
        }
    }

    /**
     * Waits until each server that responds has the rows that were inserted into these tables
     * before. Merges are not waited for.
     *
     * @throws SQLException when a server still lacks some after the timeout
     */
    void awaitReplicas(List<String> tables) throws SQLException {
        if (!isCluster()) {
            return;
        }
        String names = String.join("', '", tables.stream().map(this::local).toList());
        for (Member each : members()) {
            await(each.client(), names);
        }
    }

    /** Waits for two answers: the queue of the first may be older than its log. */
    private void await(ClickHouseClient server, String names) throws SQLException {
        long until = System.nanoTime() + timeout.toNanos();
        int complete = 0;
        while (complete < 2) {
            complete = isComplete(server, names) ? complete + 1 : 0;
            if (complete == 0) {
                if (System.nanoTime() > until) {
                    throw ClickHouseException.away(
                            "ClickHouse: " + server.address()
                                    + " lacks rows that another server acknowledged, which perhaps does not respond");
                }
                pause();
            }
        }
    }

    private static boolean isComplete(ClickHouseClient server, String names) throws SQLException {
        String database = server.address().database();
        List<String> behind = server.queryPromptly(
                "SELECT if(log_max_index = 0 AND is_readonly = 0, table, '') FROM system.replicas WHERE database = '"
                        + database + "' AND table IN ('" + names
                        + "') AND NOT (is_readonly = 0 AND inserts_in_queue = 0 AND log_pointer > log_max_index)",
                row -> {
                    List<String> found = new ArrayList<>();
                    while (row.next()) {
                        found.add(row.text());
                    }
                    return found;
                });
        for (String table : behind) {
            if (table.isEmpty()) {
                return false;
            }
            // A log without or with one entry: the figures do not tell which.
            server.execute("SYSTEM SYNC REPLICA " + database + "." + table);
        }
        return true;
    }

    private static void pause() throws SQLException {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", e);
        }
    }
}
