package dev.komainu.central.store;

import static dev.komainu.central.store.SomeRecords.SECOND;
import static dev.komainu.central.store.SomeRecords.START;
import static dev.komainu.central.store.SomeRecords.batch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.unit.DataSize;

/** The contract on Debian's ClickHouse 18.16, and what ClickHouse does not give by itself. */
class ClickHouseStoreTest extends RecordStoreContract {

    private static final TimeRange EVER = TimeRange.all();

    /** Ordinals from the last commit to a write that was not finished; the close takes one. */
    private static final long UNFINISHED = 10;

    private final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");
    private String database;

    @BeforeAll
    static void need() {
        ClickHouseServer.need();
    }

    private static ClickHouseServer server() {
        return ClickHouseServer.shared();
    }

    @Override
    ClickHouseStore open() {
        if (database == null) {
            database = server().newDatabase();
        }
        return open(settings());
    }

    private static StoreSettings settings() {
        return StoreSettings.of(Path.of("unused"));
    }

    private ClickHouseStore open(StoreSettings settings) {
        return new ClickHouseStore(settings, server().settings(database, Map.of()), clock);
    }

    @Override
    void upkeep() throws Exception {
        ((ClickHouseStore) store).runUpkeep();
    }

    private void reopen() {
        store.close();
        store = open();
    }

    private long count(String table) {
        return Long.parseLong(
                server().ask("SELECT count() FROM " + database + "." + table).strip());
    }

    private void insert(String rows) {
        server().ask("INSERT INTO " + database + "." + rows);
    }

    private long highestOrdinal() {
        return Long.parseLong(server().ask("SELECT max(ordinal) FROM " + database + ".batches")
                .strip());
    }

    /** Copies the rows of an ordinal to another one, as a write leaves them before its names. */
    private void copyRows(long from, long to) {
        String move = "key + bitShiftLeft(toInt64(" + (to - from) + "), " + Rows.KEY_BITS + ")";
        String where = " WHERE bitShiftRight(key, " + Rows.KEY_BITS + ") = " + from;
        insert("connections SELECT day, " + move
                + ", instant, service, source, client, state, duration, response, targets, body FROM "
                + database + ".connections" + where);
        insert("windows SELECT day, " + move + ", kind, instant, service, source, body FROM "
                + database + ".windows" + where);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {7})
    void randomOperations_everyResultEqualsTheModels(long seed) throws Exception {
        ModelStore model = new ModelStore();
        Random random = new Random(seed);
        SomeRecords records = new SomeRecords(seed);
        for (int round = 1; round <= 4; round++) {
            for (int i = 0; i < 8; i++) {
                Batch next = records.batch(
                        "agent" + random.nextInt(2),
                        random.nextInt(100),
                        random.nextInt(40),
                        START,
                        120 * SECOND);
                assertThat(store.append(next)).isEqualTo(model.append(next));
            }
            switch (round % 4) {
                case 3 -> clock.pass(Duration.ofHours(20));
                case 1 -> upkeep();
                case 2 -> reopen();
                default -> {}
            }
            try {
                ModelComparison.compare(store, model, random, false);
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    @Test
    void texts_withQuotesBackslashesAndNul_areFoundAsWritten() throws Exception {
        List<String> services =
                List.of("a'b", "a\\", "a\\'b", "a\0b", "a\nb", "神 {x:String}", "%_");
        long sequence = 1;
        for (String service : services) {
            store.append(
                    batch("o'\\'source", sequence++, new SomeRecords(1).window(service, START)));
        }
        for (String service : services) {
            assertThat(store.serviceWindows(List.of(service), EVER, Duration.ofSeconds(1)))
                    .as(service)
                    .hasSize(1);
        }
    }

    /** The hours of the capacity page are not in this database. */
    @Test
    void kept_sumsByTheDatabasesAge_hoursByTheStores() {
        assertThat(store.kept())
                .isEqualTo(new KeptAges(
                        settings().kept().rawDays(), 365, settings().kept().hourDays()));
        assertThat(store.kept().hourDays()).isNotEqualTo(365);
    }

    @Test
    void reopened_everythingIsThereAndKnown() throws Exception {
        Batch one = some.batch("a", 1, 200, START, 60 * SECOND);
        Batch third = some.batch("a", 3, 5, START, 60 * SECOND);
        store.append(one);
        store.append(third);
        reopen();

        assertThat(store.append(one)).isEqualTo(Outcome.DUPLICATE);
        assertThat(store.append(third)).isEqualTo(Outcome.DUPLICATE);
        assertThat(store.append(batch("a", 2))).isEqualTo(Outcome.STORED);
        assertThat(store.storage().batches()).isEqualTo(3);
        upkeep();
        assertThat(store.storage().bytes()).isPositive();
    }

    @Test
    void manyAtOnce_eachIsCommittedBeforeItsCallerContinues() throws Exception {
        int threads = 16;
        CountDownLatch begin = new CountDownLatch(1);
        try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Outcome>> outcomes = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                // Two threads each send the same batch.
                Batch next = batch("a", i / 2, new SomeRecords(i / 2).connection(START + i / 2));
                outcomes.add(pool.submit(() -> {
                    begin.await();
                    Outcome outcome = store.append(next);
                    TelemetryRecord wanted = next.records().getFirst();
                    TimeRange range = new TimeRange(wanted.atMicros(), wanted.atMicros() + 1);
                    assertThat(store.connections(ConnectionQuery.of(List.of(), range, 10))
                                    .items())
                            .hasSize(1);
                    return outcome;
                }));
            }
            begin.countDown();
            int stored = 0;
            for (Future<Outcome> outcome : outcomes) {
                stored += outcome.get() == Outcome.STORED ? 1 : 0;
            }
            assertThat(stored).isEqualTo(threads / 2);
        }
    }

    private long coveredSeconds(int step) {
        return store.serviceWindows(List.of("web"), EVER, Duration.ofSeconds(step)).stream()
                        .mapToLong(WindowStep::coveredMicros)
                        .sum()
                / SECOND;
    }

    private List<StoredRecord<ConnectionRecord>> connections() {
        return store.connections(ConnectionQuery.of(List.of(), EVER, 100)).items();
    }

    /** The process ended between the rows and the names of a write. */
    @Test
    void rowsWithoutTheNameOfTheirBatch_doNotCountNowNorAfterAStart() throws Exception {
        store.append(batch("a", 1, some.window("web", START), some.connection(START)));
        long ordinal = highestOrdinal();

        copyRows(ordinal, ordinal + UNFINISHED);
        assertThat(count("connections")).isEqualTo(2);
        assertThat(connections()).hasSize(1);
        assertThat(coveredSeconds(1)).isEqualTo(1);

        reopen();
        assertThat(connections()).hasSize(1);
        assertThat(coveredSeconds(1)).isEqualTo(1);
        assertThat(coveredSeconds(10)).isEqualTo(1);
        // Later ordinals are committed: the rows of the unfinished write lie below them.
        store.append(batch("a", 2, some.connection(START + 1)));
        upkeep();
        assertThat(connections()).hasSize(2);
        assertThat(coveredSeconds(10)).isEqualTo(1);
    }

    /** A server that hung carries out, after the next start, what the run before had sent. */
    @ParameterizedTest(name = "sent again before the start after that: {0}")
    @ValueSource(booleans = {true, false})
    void rowsAndNamesThatArriveAfterTheNextStart_doNotCount(boolean isSentBefore) throws Exception {
        Batch sent = batch("a", 2, some.window("web", START + SECOND), some.connection(START + 1));
        store.append(batch("a", 1, some.window("web", START), some.connection(START)));
        long ordinal = highestOrdinal();
        reopen();

        copyRows(ordinal, ordinal + UNFINISHED);
        insert("batches SELECT day, source, epoch, 2, ordinal + "
                + UNFINISHED
                + ", received, records, first, last FROM "
                + database
                + ".batches");
        assertThat(connections()).hasSize(1);
        if (!isSentBefore) {
            reopen();
        }
        assertThat(store.append(sent)).isEqualTo(Outcome.STORED);
        assertThat(connections()).hasSize(2);

        reopen();
        assertThat(store.append(sent)).isEqualTo(Outcome.DUPLICATE);
        assertThat(connections()).hasSize(2);
        assertThat(coveredSeconds(10)).isEqualTo(2);
        assertThat(store.storage().batches()).isEqualTo(2);
    }

    /** The server lost the name of a batch below others, for example with its power. */
    @Test
    void rowsWhoseNameWasLost_doNotCountAfterAStart() throws Exception {
        Batch lost = batch("a", 2, some.connection(START + 2));
        store.append(batch("a", 1, some.connection(START + 1)));
        store.append(lost);
        store.append(batch("a", 3, some.connection(START + 3)));
        server().ask("CREATE TABLE " + database + ".kept AS " + database + ".batches");
        insert("kept SELECT * FROM " + database + ".batches WHERE sequence != 2");
        server().ask("DROP TABLE " + database + ".batches");
        server().ask("RENAME TABLE " + database + ".kept TO " + database + ".batches");

        reopen();

        assertThat(connections()).hasSize(2);
        assertThat(store.append(lost)).isEqualTo(Outcome.STORED);
        assertThat(connections()).hasSize(3);
    }

    @Test
    void secondServiceOnOneDatabase_takesItOverAndTheFirstAcknowledgesNothingMore()
            throws Exception {
        store.append(batch("a", 1, some.connection(START)));
        try (ClickHouseStore second = open()) {
            assertThatThrownBy(() -> store.append(batch("a", 2, some.connection(START + 1))))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("another central service has taken over");
            assertThat(second.append(batch("a", 1))).isEqualTo(Outcome.DUPLICATE);
            assertThat(second.append(batch("a", 2, some.connection(START + 1))))
                    .isEqualTo(Outcome.STORED);
            assertThat(second.connections(ConnectionQuery.of(List.of(), EVER, 10))
                            .items())
                    .hasSize(2);
            assertThatThrownBy(() -> store.append(batch("a", 3)))
                    .isInstanceOf(StoreException.class);
        }
        reopen();
        assertThat(connections()).hasSize(2);
        assertThat(store.append(batch("a", 2))).isEqualTo(Outcome.DUPLICATE);
    }

    @Test
    void retention_oldDaysAreDroppedNeverTodayAndTheirRollUpsStay() throws Exception {
        store.close();
        store = open(settings().withRetention(2, DataSize.ofGigabytes(1)));
        for (int day = 0; day < 5; day++) {
            store.append(batch(
                    "a",
                    day,
                    some.window("web", START + day * SECOND),
                    some.connection(START + day * SECOND)));
            upkeep();
            clock.pass(Duration.ofDays(1));
        }
        store.append(batch("a", 5, some.connection(START + 5 * SECOND)));
        upkeep();

        assertThat(store.storage().days()).isEqualTo(3);
        assertThat(store.storage().oldest()).hasToString("2026-11-24");
        assertThat(connections())
                .extracting(each -> each.record().atMicros())
                .containsExactly(START + 5 * SECOND, START + 4 * SECOND, START + 3 * SECOND);
        assertThat(count("connections")).isEqualTo(3);
        assertThat(count("batches")).isEqualTo(3);
        assertThat(coveredSeconds(1)).isEqualTo(2);
        assertThat(coveredSeconds(10)).as("roll-ups live longer").isEqualTo(5);

        store.close();
        store = open(settings().withRetention(30, DataSize.ofBytes(1)));
        upkeep();
        assertThat(store.storage().days()).isEqualTo(1);
        assertThat(connections()).hasSize(1);
        assertThat(coveredSeconds(10)).isEqualTo(5);
    }

    @Test
    void rollUps_olderThanTheirAge_areDropped() throws Exception {
        store.close();
        store = new ClickHouseStore(
                settings(),
                server().settings(database, Map.of("komainu.records.rollup-days", "2")),
                clock);
        for (int day = 0; day < 5; day++) {
            store.append(batch("a", day, some.window("web", START + day * SECOND)));
            upkeep();
            clock.pass(Duration.ofDays(1));
        }
        store.append(batch("a", 5, some.window("web", START + 5 * SECOND)));
        upkeep();
        assertThat(coveredSeconds(10)).isEqualTo(3);
        assertThat(coveredSeconds(1)).as("single records").isEqualTo(6);
        reopen();
        assertThat(coveredSeconds(10)).isEqualTo(3);
    }

    @Test
    void wrongPassword_isToldInOneLineWithTheAddress() {
        assertThatThrownBy(() -> new ClickHouseStore(
                        settings(),
                        server().settings(database, Map.of("komainu.records.user", "nobody")),
                        clock))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("komainu.records.url: http://127.0.0.1:")
                .hasMessageContaining("nobody");
    }
}
