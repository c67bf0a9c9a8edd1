package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.telemetry.kit.Nightly;
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

    private static final int SENDERS = 3;
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

    /** An outage of the server: how it begins and how it ends. */
    private void outage(Runnable begin, Runnable end) throws Exception {
        ClickHouseStore store = open();
        AtomicLong acknowledged = new AtomicLong();
        try (ExecutorService senders = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                String source = "agent" + i;
                all.add(senders.submit(() -> NumberedBatches.sendAll(store, source, acknowledged)));
            }
            for (int times = 1; times <= OUTAGES; times++) {
                long until = times * 15L;
                Awaitility.await("batches")
                        .atMost(Duration.ofMinutes(2))
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> acknowledged.get() >= until);
                begin.run();
                // A batch that no sender sends: the outage is noticed.
                assertThatThrownBy(() -> store.append(NumberedBatches.batch("away", until)))
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
        assertThat(acknowledged).hasValue((long) SENDERS * NumberedBatches.OF_A_SENDER);
        long others = store.storage().batches() - acknowledged.get();
        assertThat(others).as("stored although it was not acknowledged").isZero();
        NumberedBatches.assertEachOnce(store, acknowledged.get());
        NumberedBatches.assertWindows(store, "agent1", NumberedBatches.OF_A_SENDER);
        store.close();

        try (ClickHouseStore again = open()) {
            NumberedBatches.assertEachOnce(again, acknowledged.get());
            NumberedBatches.assertWindows(again, "agent1", NumberedBatches.OF_A_SENDER);
            assertThat(again.append(NumberedBatches.batch("agent2", NumberedBatches.OF_A_SENDER)))
                    .isEqualTo(Outcome.DUPLICATE);
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
            store.append(NumberedBatches.batch("a", 1));
            server.kill();
            assertThatThrownBy(() -> store.sightings(TimeRange.all()))
                    .isInstanceOf(StoreException.class);
            assertThat(store.storage().batches()).isEqualTo(1);
            server.start();
            assertThat(store.sightings(TimeRange.all())).isEmpty();
            NumberedBatches.assertEachOnce(store, 1);
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
            assertThat(store.append(NumberedBatches.batch("victim", acknowledged)))
                    .isEqualTo(Outcome.DUPLICATE);
            NumberedBatches.assertEachOnce(store, stored);
            NumberedBatches.assertWindows(store, "victim", stored);
        }
    }

    /** The process to kill: appends as fast as possible and prints each acknowledged sequence. */
    static final class AppendsUntilKilled {

        public static void main(String[] args) throws Exception {
            ClickHouseStore store = open(args[0], args[1], Path.of(args[2]));
            for (long sequence = 1; ; sequence++) {
                store.append(NumberedBatches.batch("victim", sequence));
                System.out.println("stored " + sequence);
                System.out.flush();
                if (sequence % 25 == 0) {
                    store.runUpkeep();
                }
            }
        }
    }
}
