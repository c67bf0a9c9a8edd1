package dev.komainu.central.store;

import static dev.komainu.central.store.SomeRecords.START;
import static dev.komainu.central.store.SomeRecords.batch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.clickhouse.ClickHouseLogSettings;
import dev.komainu.central.store.RecordServerState.Condition;
import dev.komainu.central.store.RecordServerState.Failure;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

/** Figures that Debian's ClickHouse 18.16 tells about itself, in good and in bad times. */
class ClickHouseStateTest {

    private static final int PARTS_LIMIT = 12;

    private static ClickHouseServer server;

    private final SettableClock clock = new SettableClock(Instant.now().toString());
    private final SomeRecords some = new SomeRecords(9);
    private String database;
    private ClickHouseStore store;

    @BeforeAll
    static void start() {
        ClickHouseServer.need();
        server = ClickHouseServer.withLogs(PARTS_LIMIT);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void open() {
        database = server.newDatabase();
        store = open(Map.of());
    }

    @AfterEach
    void close() {
        store.close();
    }

    private ClickHouseStore open(Map<String, String> settings) {
        return new ClickHouseStore(
                StoreSettings.of(Path.of("unused")), server.settings(database, settings), clock);
    }

    private static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(Duration.ofSeconds(60));
    }

    private void append(long sequence) throws InterruptedException {
        store.append(batch("a", sequence, some.connection(START + sequence)));
    }

    private Failure failure(String kind) {
        return store.server().failures().stream()
                .filter(each -> each.kind().equals(kind))
                .findFirst()
                .orElseThrow();
    }

    private long failures() {
        return store.server().failures().stream().mapToLong(Failure::count).sum();
    }

    private static long number(String sql) {
        return Long.parseLong(server.ask(sql).strip());
    }

    @Test
    void figures_areThoseOfTheServersTables_andWhatItDoesNotTellIsAbsent() throws Exception {
        server.ask("SYSTEM STOP MERGES");
        try {
            append(1);
            append(2);
            store.runUpkeep();
            RecordServerState state = store.server();
            RecordServerFigures figures = Objects.requireNonNull(state.figures());

            assertThat(state.condition()).isEqualTo(Condition.STORING);
            assertThat(state.address()).isEqualTo(server.url(database));
            assertThat(state.failures()).isEmpty();
            assertThat(figures.version()).startsWith("18.16.");
            assertThat(figures.disk()).as("no system.disks").isNull();
            assertThat(figures.partsLimit()).isEqualTo(PARTS_LIMIT);
            assertThat(figures.isLimitTold()).isTrue();
            assertThat(figures.tables())
                    .extracting(RecordServerFigures.Table::name)
                    .containsExactlyElementsOf(ClickHouseTables.ALL);
            RecordServerFigures.Table connections = figures.tables().getFirst();
            assertThat(connections.parts()).isEqualTo(2);
            assertThat(connections.mostParts()).isEqualTo(2);
            assertThat(connections.bytes())
                    .isEqualTo(number("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND"
                            + " database = '" + database + "' AND table = 'connections'"));
            assertThat(figures.bytes())
                    .isEqualTo(number("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND"
                            + " database = '" + database + "'"));
            assertThat(store.storage().bytes()).isPositive().isLessThanOrEqualTo(figures.bytes());
        } finally {
            server.ask("SYSTEM START MERGES");
        }
    }

    @Test
    void serverThatWasKilled_isAwaySinceThen_andBackByItself() throws Exception {
        append(1);
        Instant killed = clock.instant();
        server.kill();
        try {
            await("away").until(() -> store.server().condition() == Condition.AWAY);
            clock.pass(Duration.ofSeconds(30));
            long failed = failures();
            await("failed again").until(() -> failures() > failed);
            // The first request after the kill may have met the kept connection.
            await("not reached")
                    .untilAsserted(() ->
                            assertThat(store.server().reason()).contains("cannot be reached"));
            assertThat(store.server().since()).isEqualTo(killed);
            assertThat(failure("connection").count()).isPositive();
            assertThat(store.server().figures()).as("the last ones").isNotNull();
            await("not current").until(() -> !store.server().isCurrent());
        } finally {
            server.start();
        }
        await("back").until(() -> store.server().condition() == Condition.STORING);
        assertThat(store.server().since()).isNull();
        append(2);
    }

    @Test
    void serverWithTooManyParts_doesNotStoreUntilABatchIsStoredOrNoneFailsAnyMore()
            throws Exception {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        store.register(meters);
        server.ask("SYSTEM STOP MERGES");
        try {
            appendUntilRefused(1);
            Instant since = clock.instant();
            // The tables of the upkeep have few parts: it succeeds, and must not end the outage.
            clock.pass(Duration.ofSeconds(50));
            store.runUpkeep();
            RecordServerState state = store.server();
            assertThat(state.condition()).isEqualTo(Condition.NOT_STORING);
            assertThat(state.since()).isEqualTo(since);
            assertThat(state.reason()).contains("Too many parts");
            assertThat(failure("state").lastText()).contains("Too many parts");
            assertThat(Objects.requireNonNull(state.figures()).mostParts())
                    .isGreaterThanOrEqualTo(PARTS_LIMIT);
            assertThat(meters.get("komainu.records.away").gauge().value()).isEqualTo(1);
            assertThat(meters.get("komainu.records.errors")
                            .tag("kind", "state")
                            .functionCounter()
                            .count())
                    .isPositive();

            clock.pass(Duration.ofSeconds(71));
            store.runUpkeep();
            assertThat(store.server().condition()).isEqualTo(Condition.STORING);
            appendUntilRefused(100);
            assertThat(store.server().condition()).isEqualTo(Condition.NOT_STORING);
        } finally {
            server.ask("SYSTEM START MERGES");
        }
        await("merged").until(() -> {
            store.runUpkeep();
            return Objects.requireNonNull(store.server().figures()).mostParts() < PARTS_LIMIT;
        });
        append(200);
        assertThat(store.server().condition()).isEqualTo(Condition.STORING);
        assertThat(store.server().since()).isNull();
    }

    private void appendUntilRefused(int first) {
        assertThatThrownBy(() -> {
                    for (long i = first; i < first + 3L * PARTS_LIMIT; i++) {
                        append(i);
                    }
                })
                .isInstanceOf(StoreException.class);
    }

    @Test
    void serverThatHangs_theOldestBatchHasItsAge() throws Exception {
        append(1);
        assertThat(store.server().oldestWaiting()).isEqualTo(Duration.ZERO);
        server.freeze();
        CompletableFuture<Void> sent;
        try {
            sent = CompletableFuture.runAsync(() -> {
                try {
                    append(2);
                } catch (InterruptedException e) {
                    throw new CompletionException(e);
                }
            });
            await("waits")
                    .until(() ->
                            store.server().oldestWaiting().compareTo(Duration.ofSeconds(1)) > 0);
        } finally {
            server.thaw();
        }
        sent.handle((done, failed) -> true).join();
        await("none waits").until(() -> store.server().oldestWaiting().isZero());
    }

    @Test
    void statementsOfThisService_areLoggedOnlyIfTheOperatorWants() throws Exception {
        store.close();
        store = open(Map.of("komainu.records.log-statements", "true"));
        await("logged").until(() -> logged() > 0);
        store.close();
        database = server.newDatabase();
        store = open(Map.of());
        append(1);
        store.runUpkeep();
        server.ask("SELECT 'last'");
        await("flushed")
                .until(() ->
                        number("SELECT count() FROM system.query_log WHERE query LIKE '%''last''%'"
                                        + " AND query NOT LIKE '%query_log%'")
                                > 0);
        assertThat(logged()).isZero();
    }

    private long logged() {
        String name = database;
        return number("SELECT count() FROM system.query_log WHERE query LIKE '%" + name
                + "%' AND query NOT LIKE '%query_log%'");
    }

    @Test
    void logsOfTheServer_areMeasured_andBoundedOnlyIfItIsAllowed() throws Exception {
        server.ask("SELECT 1");
        await("log exists")
                .until(() ->
                        number("SELECT count() FROM system.tables WHERE database = 'system' AND"
                                        + " name = 'query_log'")
                                > 0);
        for (String day : List.of("2025-01-05", "2025-02-05")) {
            server.ask("INSERT INTO system.query_log (event_date, event_time) VALUES ('" + day
                    + "', '" + day + " 00:00:00')");
        }
        SystemLogUse free = look(false, DataSize.ofGigabytes(1), 7);
        assertThat(free.tables()).anySatisfy(log -> {
            assertThat(log.name()).isEqualTo("query_log");
            assertThat(log.oldest()).hasToString("2025-01-05");
            assertThat(log.partitions()).isGreaterThanOrEqualTo(3);
            assertThat(log.bytes()).isPositive();
        });
        assertThat(months()).contains("202501", "202502");

        SystemLogUse bound = look(true, DataSize.ofGigabytes(1), 7);
        assertThat(bound.dropped()).isEqualTo(2);
        assertThat(bound.failure()).isNull();
        assertThat(months()).doesNotContain("202501", "202502").isNotBlank();

        SystemLogUse small = look(true, DataSize.ofBytes(1), 3_650);
        assertThat(small.dropped()).as("the one that is being written, too").isPositive();
    }

    private static String months() {
        return server.ask("SELECT DISTINCT partition FROM system.parts WHERE active AND database ="
                + " 'system'");
    }

    private SystemLogUse look(boolean isBound, DataSize most, int days) throws Exception {
        try (ClickHouseClient client =
                new ClickHouseClient(server.settings(database, Map.of()), 1, Clock.systemUTC())) {
            SystemLogs logs = new SystemLogs(
                    client,
                    new ClickHouseLogSettings(false, isBound, most, days),
                    Clock.systemUTC());
            logs.look();
            return logs.use();
        }
    }
}
