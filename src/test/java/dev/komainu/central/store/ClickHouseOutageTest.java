package dev.komainu.central.store;

import static dev.komainu.central.store.SomeRecords.SECOND;
import static dev.komainu.central.store.SomeRecords.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.telemetry.kit.Nightly;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests with a server that is killed or hangs, and a process that is killed, while batches are
 * stored: each acknowledged batch is there once, as a whole.
 */
class ClickHouseOutageTest {

    private static final TimeRange EVER = TimeRange.all();
    private static final int SENDERS = 3;
    private static final int BATCHES = 16;
    private static final int CONNECTIONS = 5;
    private static final int OUTAGES = Nightly.isOn() ? 2 : 1;

    private static ClickHouseServer server;
    private String database;

    @BeforeAll
    static void start() {
        ClickHouseServer.need();
        server = ClickHouseServer.own();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void choose() {
        database = server.newDatabase();
    }

    private ClickHouseStore open() {
        return open(database, server.url(database), server.passwordFile());
    }

    private static ClickHouseStore open(String database, String url, Path password) {
        return new ClickHouseStore(
                StoreSettings.of(Path.of("unused")),
                ClickHouseServer.settings(url, password, Map.of("komainu.records.timeout", "2s")),
                Clock.systemUTC());
    }

    private static Batch batch(String source, long sequence) {
        SomeRecords some = new SomeRecords(source.hashCode() * 7919L + sequence);
        List<TelemetryRecord> records = new ArrayList<>();
        records.add(some.window(source, START + sequence * SECOND));
        for (int i = 0; i < CONNECTIONS; i++) {
            records.add(some.connection(START + sequence * SECOND + i));
        }
        return new Batch(new BatchId(source, 1, sequence), records);
    }

    /** Sends each batch until it is acknowledged, as a reporter does. */
    private static void sendAll(RecordStore store, String source, AtomicLong acknowledged) {
        for (long sequence = 1; sequence <= BATCHES; sequence++) {
            Batch next = batch(source, sequence);
            Awaitility.await("batch " + next.id())
                    .atMost(Duration.ofMinutes(2))
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(20))
                    .ignoreException(StoreException.class)
                    .until(() -> store.append(next) != null);
            acknowledged.incrementAndGet();
        }
    }

    private static void assertEachOnce(RecordStore store, long batches) {
        assertThat(store.storage().batches()).isEqualTo(batches);
        assertThat(store.connections(ConnectionQuery.of(List.of(), EVER, 10_000))
                        .items())
                .hasSize((int) batches * CONNECTIONS);
    }

    private static void assertWindows(RecordStore store, String source, long batches) {
        for (int step : new int[] {1, 10}) {
            assertThat(
                            store
                                    .serviceWindows(List.of(source), EVER, Duration.ofSeconds(step))
                                    .stream()
                                    .mapToLong(WindowStep::coveredMicros)
                                    .sum())
                    .as("%s, step %s s", source, step)
                    .isEqualTo(batches * SECOND);
        }
    }

    /** An outage of the server: how it begins and how it ends. */
    private void outage(Runnable begin, Runnable end) throws Exception {
        ClickHouseStore store = open();
        AtomicLong acknowledged = new AtomicLong();
        try (ExecutorService senders = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                String source = "agent" + i;
                all.add(senders.submit(() -> sendAll(store, source, acknowledged)));
            }
            for (int times = 1; times <= OUTAGES; times++) {
                long until = times * 15L;
                Awaitility.await("batches")
                        .atMost(Duration.ofMinutes(2))
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> acknowledged.get() >= until);
                begin.run();
                // A batch that no sender sends: the outage is noticed.
                assertThatThrownBy(() -> store.append(batch("nobody", until)))
                        .isInstanceOf(StoreException.class);
                end.run();
                Awaitility.await("roll-ups")
                        .atMost(Duration.ofMinutes(2))
                        .ignoreException(StoreException.class)
                        .until(() -> {
                            store.runUpkeep();
                            return true;
                        });
            }
            for (Future<?> sender : all) {
                sender.get();
            }
        }
        assertThat(acknowledged).hasValue((long) SENDERS * BATCHES);
        long others = store.storage().batches() - acknowledged.get();
        assertThat(others).as("stored although it was not acknowledged").isZero();
        assertEachOnce(store, acknowledged.get());
        assertWindows(store, "agent1", BATCHES);
        store.close();

        try (ClickHouseStore again = open()) {
            assertEachOnce(again, acknowledged.get());
            assertWindows(again, "agent1", BATCHES);
            assertThat(again.append(batch("agent2", BATCHES))).isEqualTo(Outcome.DUPLICATE);
        }
    }

    @Test
    void serverKilled_eachBatchIsThereOnce() throws Exception {
        outage(server::kill, server::start);
    }

    @Test
    void serverHangs_appendsFailInTimeAndEachBatchIsThereOnce() throws Exception {
        outage(server::freeze, server::thaw);
    }

    @Test
    void serverAwayAtTheStart_isToldWithTheAddress() {
        String away = "http://127.0.0.1:1/away";
        assertThatThrownBy(() -> open(database, away, server.passwordFile()))
                .isInstanceOf(StoreException.class)
                .hasMessage("komainu.records.url: http://127.0.0.1:1/away:"
                        + " ClickHouse: http://127.0.0.1:1 cannot be reached");
    }

    @Test
    void queriesWhileTheServerIsAway_failAndGoOnAfterwards() throws Exception {
        try (ClickHouseStore store = open()) {
            store.append(batch("a", 1));
            server.kill();
            assertThatThrownBy(() -> store.sightings(EVER)).isInstanceOf(StoreException.class);
            assertThat(store.storage().batches()).isEqualTo(1);
            server.start();
            assertThat(store.sightings(EVER)).isEmpty();
            assertEachOnce(store, 1);
        }
    }

    @Test
    void processKilledWhileAppending_acknowledgedBatchesAreThereAndNoneInPart() throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        AppendsUntilKilled.class.getName(),
                        database,
                        server.url(database),
                        server.passwordFile().toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long acknowledged = 0;
        try (BufferedReader acks = new BufferedReader(
                new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            String line;
            while ((line = acks.readLine()) != null) {
                if (line.startsWith("stored ")) {
                    acknowledged = Long.parseLong(line.substring("stored ".length()));
                }
                if (acknowledged == 40) {
                    // Through its handle: the pipe stays open, acknowledgements already written are
                    // read.
                    child.toHandle().destroyForcibly();
                }
            }
        }
        child.waitFor();
        assertThat(acknowledged).isGreaterThanOrEqualTo(40);

        try (ClickHouseStore store = open()) {
            long stored = store.storage().batches();
            assertThat(stored).isBetween(acknowledged, acknowledged + 1);
            assertThat(store.append(batch("victim", acknowledged))).isEqualTo(Outcome.DUPLICATE);
            assertEachOnce(store, stored);
            assertWindows(store, "victim", stored);
        }
    }

    /** The process to kill: appends as fast as possible and prints each acknowledged sequence. */
    static final class AppendsUntilKilled {

        public static void main(String[] args) throws Exception {
            ClickHouseStore store = open(args[0], args[1], Path.of(args[2]));
            for (long sequence = 1; ; sequence++) {
                store.append(batch("victim", sequence));
                System.out.println("stored " + sequence);
                System.out.flush();
                if (sequence % 25 == 0) {
                    store.runUpkeep();
                }
            }
        }
    }
}
