package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.clickhouse.ClickHouseSettings;
import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.telemetry.kit.Nightly;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

/**
 * What shards and replicas do for the store: rows are spread and copied; while servers are killed
 * or hang, or ZooKeeper is away, each acknowledged batch is there once, as a whole.
 */
class ClickHouseReplicasTest {

    private static final int SENDERS = 3;
    private static final int BEFORE = 12;
    private static final int DURING = 12;

    private static ClickHouseTestCluster cluster;
    private String database;

    @BeforeAll
    static void start() {
        ClickHouseServer.need();
        cluster = ClickHouseTestCluster.own();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @BeforeEach
    void choose() {
        database = cluster.newDatabase();
    }

    /** A failed test may have left servers that do not run. */
    @AfterEach
    void startAll() {
        for (ClickHouseServer each : cluster.servers()) {
            if (!each.isRunning()) {
                each.start();
            }
        }
    }

    private ClickHouseStore open() {
        return new ClickHouseStore(
                StoreSettings.of(Path.of("unused")), settings(), Clock.systemUTC());
    }

    /** Returns a count in a table of one server. */
    private long count(ClickHouseServer server, String table) {
        return Long.parseLong(
                server.ask("SELECT count() FROM " + database + "." + table).strip());
    }

    private ClickHouseSettings settings() {
        return cluster.settings(database, Map.of("komainu.records.timeout", "4s"));
    }

    /** Waits until each server has all rows, so that any of them may be asked for records. */
    private void awaitReplicas() {
        Awaitility.await("replicas")
                .atMost(Duration.ofMinutes(1))
                .ignoreExceptions()
                .until(() -> {
                    try (ClickHouseClient client =
                            new ClickHouseClient(settings(), 1, Clock.systemUTC())) {
                        new ClickHouseCluster(client, settings())
                                .awaitReplicas(ClickHouseTables.ALL);
                    }
                    return true;
                });
    }

    private static void await(AtomicLong acknowledged, long wanted) {
        Awaitility.await("batches")
                .atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> acknowledged.get() >= wanted);
    }

    /**
     * An outage in the middle of what three senders send.
     *
     * @param isStoring whether batches are acknowledged while it lasts
     */
    private void outage(Runnable begin, Runnable end, boolean isStoring) throws Exception {
        ClickHouseStore store = open();
        AtomicLong acknowledged = new AtomicLong();
        try (ExecutorService senders = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                String source = "agent" + i;
                all.add(senders.submit(() -> NumberedBatches.sendAll(store, source, acknowledged)));
            }
            await(acknowledged, BEFORE);
            begin.run();
            if (isStoring) {
                await(acknowledged, acknowledged.get() + DURING);
            } else {
                assertThatThrownBy(() -> store.append(NumberedBatches.batch("away", 1)))
                        .isInstanceOf(StoreException.class);
            }
            end.run();
            for (Future<?> sender : all) {
                sender.get();
            }
        }
        long expected = (long) SENDERS * NumberedBatches.OF_A_SENDER;
        assertThat(acknowledged).hasValue(expected);
        awaitReplicas();
        NumberedBatches.assertEachOnce(store, expected);
        Awaitility.await("roll-ups")
                .atMost(Duration.ofMinutes(1))
                .ignoreException(StoreException.class)
                .until(() -> {
                    store.runUpkeep();
                    return true;
                });
        NumberedBatches.assertWindows(store, "agent1", NumberedBatches.OF_A_SENDER);
        store.close();

        try (ClickHouseStore again = open()) {
            NumberedBatches.assertEachOnce(again, expected);
            NumberedBatches.assertWindows(again, "agent1", NumberedBatches.OF_A_SENDER);
            assertThat(again.append(NumberedBatches.batch("agent2", NumberedBatches.OF_A_SENDER)))
                    .isEqualTo(Outcome.DUPLICATE);
        }
    }

    @Test
    void records_areSpreadOverTheShardsAndNamesAreOnEachServer() throws Exception {
        try (ClickHouseStore store = open()) {
            for (int i = 1; i <= 8; i++) {
                store.append(NumberedBatches.batch("a", i));
            }
            NumberedBatches.assertEachOnce(store, 8);
        }
        awaitReplicas();
        for (ClickHouseServer each : cluster.servers()) {
            assertThat(count(each, "connections_local"))
                    .isEqualTo(4L * NumberedBatches.CONNECTIONS);
            assertThat(count(each, "connections")).isEqualTo(8L * NumberedBatches.CONNECTIONS);
            assertThat(count(each, "batches")).isEqualTo(8);
        }
    }

    @Test
    void oldDays_areDroppedOnAllShards() throws Exception {
        SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");
        StoreSettings kept =
                StoreSettings.of(Path.of("unused")).withRetention(2, DataSize.ofGigabytes(1));
        try (ClickHouseStore store = new ClickHouseStore(kept, settings(), clock)) {
            for (int day = 1; day <= 5; day++) {
                store.append(NumberedBatches.batch("a", day));
                store.runUpkeep();
                assertThat(store.server().figures().bytes()).isPositive();
                clock.pass(Duration.ofDays(1));
            }
            store.append(NumberedBatches.batch("a", 6));
            store.runUpkeep();
            NumberedBatches.assertEachOnce(store, 3);
        }
        // A replica drops a day when it reads that in ZooKeeper.
        Awaitility.await("dropped on each server")
                .atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> {
                    for (ClickHouseServer each : cluster.servers()) {
                        assertThat(count(each, "connections"))
                                .isEqualTo(3L * NumberedBatches.CONNECTIONS);
                        assertThat(count(each, "batches")).isEqualTo(3);
                    }
                });
    }

    @Test
    void databaseOfASingleServer_isRefused() {
        String single = cluster.server(0, 0).url(database);
        ClickHouseSettings settings =
                ClickHouseServer.settings(single, cluster.server(0, 0).passwordFile(), Map.of());
        new ClickHouseStore(StoreSettings.of(Path.of("unused")), settings, Clock.systemUTC())
                .close();
        assertThatThrownBy(this::open)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("created without komainu.records.cluster");
    }

    @Test
    void otherCluster_isRefusedWithWhatTheServersKnow() {
        assertThatThrownBy(() -> new ClickHouseStore(
                        StoreSettings.of(Path.of("unused")),
                        cluster.settings(database, Map.of("komainu.records.cluster", "other")),
                        Clock.systemUTC()))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the cluster `other` has 0 servers");
    }

    @Test
    void serverThatIsAskedKilled_theNextOneStores() throws Exception {
        ClickHouseServer asked = cluster.server(0, 0);
        outage(asked::kill, asked::start, true);
    }

    @Test
    @Tag(Nightly.TAG)
    void firstReplicaOfTheOtherShardKilled_itsSecondStores() throws Exception {
        ClickHouseServer other = cluster.server(1, 0);
        outage(other::kill, other::start, true);
    }

    @Test
    @Tag(Nightly.TAG)
    void serverThatIsAskedHangs_theNextOneStores() throws Exception {
        ClickHouseServer asked = cluster.server(0, 0);
        outage(asked::freeze, asked::thaw, true);
    }

    @Test
    @Tag(Nightly.TAG)
    void wholeShardKilled_nothingIsStoredUntilItIsBack() throws Exception {
        ClickHouseServer first = cluster.server(1, 0);
        ClickHouseServer second = cluster.server(1, 1);
        outage(
                () -> {
                    first.kill();
                    second.kill();
                },
                () -> {
                    first.start();
                    second.start();
                },
                false);
    }

    @Test
    @Tag(Nightly.TAG)
    void zooKeeperKilled_nothingIsStoredUntilItIsBack() throws Exception {
        outage(cluster::killZooKeeper, cluster::startZooKeeper, false);
    }

    @Test
    void startWhileAReplicaIsAway_countsAllBatches() throws Exception {
        try (ClickHouseStore store = open()) {
            store.append(NumberedBatches.batch("a", 1));
        }
        awaitReplicas();
        ClickHouseServer away = cluster.server(0, 0);
        away.kill();
        try (ClickHouseStore store = open()) {
            RecordServerState state = store.server();
            assertThat(state.condition()).isEqualTo(RecordServerState.Condition.STORING);
            assertThat(state.figures().members())
                    .extracting(each -> each.failure() == null, each -> each.since() == null)
                    .containsExactly(
                            tuple(false, false),
                            tuple(true, true),
                            tuple(true, true),
                            tuple(true, true));
            NumberedBatches.assertEachOnce(store, 1);
            assertThat(store.append(NumberedBatches.batch("a", 1))).isEqualTo(Outcome.DUPLICATE);
            assertThat(store.append(NumberedBatches.batch("a", 2))).isEqualTo(Outcome.STORED);
            NumberedBatches.assertEachOnce(store, 2);
        }
    }

    /** Otherwise batches that were acknowledged would be voided, and be stored a second time. */
    @Test
    @Tag(Nightly.TAG)
    void startWithoutTheOnlyReplicaOfABatch_isRefusedUntilItIsBack() throws Exception {
        open().close();
        awaitReplicas();
        ClickHouseServer behind = cluster.server(0, 1);
        behind.kill();
        cluster.server(1, 0).kill();
        cluster.server(1, 1).kill();
        cluster.server(1, 0).start();
        try (ClickHouseStore store = open()) {
            store.append(NumberedBatches.batch("a", 1));
        }
        cluster.server(0, 0).kill();
        cluster.server(1, 0).kill();
        behind.start();
        cluster.server(1, 1).start();
        assertThatThrownBy(this::open)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("lacks rows");

        cluster.server(0, 0).start();
        cluster.server(1, 0).start();
        awaitReplicas();
        try (ClickHouseStore store = open()) {
            NumberedBatches.assertEachOnce(store, 1);
            assertThat(store.append(NumberedBatches.batch("a", 1))).isEqualTo(Outcome.DUPLICATE);
        }
    }
}
