package dev.komainu.central.store;

import static dev.komainu.central.store.SomeRecords.SECOND;
import static dev.komainu.central.store.SomeRecords.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.backup.move.MoveCommand;
import dev.komainu.central.clickhouse.ClickHouseSettings;
import dev.komainu.central.store.DayMove.MovedDay;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.RecordCodec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Moves between DuckDB files and Debian's ClickHouse, compared with a model of all that was stored.
 */
class DayMoveTest {

    private static final int DAYS = 3;
    private static final int COMPARISONS = 3;

    @TempDir
    Path data;

    private final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");
    private final SomeRecords some = new SomeRecords(7);
    private final ModelStore model = new ModelStore();
    private final List<String> progress = new ArrayList<>();
    private String database = "";
    private long sequence;
    private int fills;

    @BeforeAll
    static void needServer() {
        ClickHouseServer.need();
    }

    @BeforeEach
    void newDatabase() {
        database = ClickHouseServer.shared().newDatabase();
    }

    private ClickHouseSettings server() {
        return ClickHouseServer.shared().settings(database, Map.of());
    }

    private StoreSettings files(String name) {
        return StoreSettings.of(data.resolve(name).resolve("telemetry"));
    }

    /** Stores days with batches of all sizes, from two sources, one of which begins again. */
    private void fill(int batches, int records) throws Exception {
        fills++;
        try (DuckStore store = new DuckStore(files("from"), clock)) {
            for (int day = 0; day < DAYS; day++) {
                for (int i = 0; i < batches; i++) {
                    Batch batch = i % 7 == 3
                            ? new Batch(new BatchId("idle", fills * DAYS + day, i), List.of())
                            : some.batch(
                                    "agent@" + i % 2,
                                    ++sequence,
                                    1 + i * 31 % records,
                                    START,
                                    60 * SECOND);
                    assertThat(store.append(batch)).isEqualTo(RecordStore.Outcome.STORED);
                    model.append(batch);
                    clock.pass(Duration.ofSeconds(1));
                }
                clock.pass(Duration.ofDays(1));
            }
        }
    }

    private Map<String, Integer> bytesOfFiles() throws Exception {
        Map<String, Integer> bytes = new TreeMap<>();
        try (Stream<Path> all = Files.walk(files("from").directory())) {
            for (Path path : all.filter(Files::isRegularFile).toList()) {
                bytes.put(path.toString(), Arrays.hashCode(Files.readAllBytes(path)));
            }
        }
        return bytes;
    }

    private void compare(RecordStore store) {
        Random random = new Random(11);
        for (int i = 0; i < COMPARISONS; i++) {
            ModelComparison.compare(store, model, random, false);
        }
    }

    private static void assertEqual(List<MovedDay> days) {
        assertThat(days)
                .extracting(MovedDay::day)
                .containsExactly(
                        LocalDate.parse("2026-11-21"),
                        LocalDate.parse("2026-11-22"),
                        LocalDate.parse("2026-11-23"));
        assertThat(days).allSatisfy(day -> {
            assertThat(day.here().batches()).isPositive();
            assertThat(day.there()).isEqualTo(day.here());
        });
    }

    @Test
    void toClickHouse_andBack_givesEveryRecordOfEachDay() throws Exception {
        fill(60, 30);
        Map<String, Integer> before = bytesOfFiles();

        assertEqual(DayMove.toClickHouse(files("from"), server(), progress::add));
        assertThat(bytesOfFiles()).isEqualTo(before);
        assertThat(progress).hasSize(DAYS).allMatch(line -> line.contains("60 of them new there"));
        try (ClickHouseStore store = new ClickHouseStore(files("from"), server(), clock)) {
            assertThat(store.storage().days()).isEqualTo(DAYS);
            compare(store);
        }

        assertEqual(DayMove.toFiles(server(), files("back"), progress::add));
        try (DuckStore store = new DuckStore(files("back"), clock)) {
            assertThat(store.days()).hasSize(DAYS);
            compare(store);
        }
    }

    @Test
    void toClickHouse_again_addsWhatIsMissing() throws Exception {
        fill(10, 40);
        DayMove.toClickHouse(files("from"), server(), progress::add);
        clock.pass(Duration.ofDays(-DAYS));
        fill(4, 40);
        progress.clear();

        assertEqual(DayMove.toClickHouse(files("from"), server(), progress::add));

        assertThat(progress).hasSize(DAYS).allMatch(line -> line.contains(" 4 of them new there"));
        try (ClickHouseStore store = new ClickHouseStore(files("from"), server(), clock)) {
            compare(store);
        }
    }

    @Test
    void toClickHouse_killedInTheMiddle_isRepeatedAndEqual() throws Exception {
        fill(40, 800);
        Process move = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        MoveCommand.class.getName(),
                        "--data",
                        data.resolve("from").toString(),
                        "--to",
                        ClickHouseServer.shared().url(database),
                        "--user",
                        ClickHouseServer.USER,
                        "--password-file",
                        ClickHouseServer.shared().passwordFile().toString())
                .redirectErrorStream(true)
                .redirectOutput(data.resolve("said.txt").toFile())
                .start();
        String rows = "SELECT count() FROM " + database + ".windows";
        String table = "EXISTS TABLE " + database + ".windows";
        Awaitility.await()
                .pollInterval(Duration.ofMillis(2))
                .until(() -> ClickHouseServer.shared().ask(table).strip().equals("1")
                        && !ClickHouseServer.shared().ask(rows).strip().equals("0"));
        move.destroyForcibly();
        assertThat(move.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(data.resolve("said.txt"))).doesNotContain("Both sides");

        assertEqual(DayMove.toClickHouse(files("from"), server(), progress::add));

        try (ClickHouseStore store = new ClickHouseStore(files("from"), server(), clock)) {
            assertThat(store.storage().batches()).isEqualTo(DAYS * 40);
        }
    }

    @Test
    void toClickHouse_aTargetThatChangedARecord_differs() throws Exception {
        fill(10, 40);
        DayMove.toClickHouse(files("from"), server(), progress::add);
        ClickHouseServer.shared()
                .ask("INSERT INTO " + database + ".facts SELECT day, max(key) + 1, 1,"
                        + " 0, 'x', 'x', any(body) FROM " + database
                        + ".facts WHERE day = '2026-11-22' GROUP BY day");

        List<MovedDay> days = DayMove.toClickHouse(files("from"), server(), progress::add);

        assertThat(days).extracting(MovedDay::isEqual).containsExactly(true, false, true);
    }

    @Test
    void toClickHouse_fromARunningService_isRefused() throws Exception {
        fill(1, 5);
        try (DuckStore running = new DuckStore(files("from"), clock)) {
            assertThatThrownBy(() -> DayMove.toClickHouse(files("from"), server(), progress::add))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("expected: a stopped central service");
        }
    }

    @Test
    void toClickHouse_recordOfAnUnknownKind_isRefusedAndNamed() {
        StoredBatch unknown = new StoredBatch(
                new BatchId("agent@a", 1, 2), 0, List.of(new byte[] {(byte) 0xfa, 0x07, 0}));

        assertThatThrownBy(unknown::decoded)
                .hasMessageContaining("agent@a")
                .hasMessageContaining("unknown kind");
    }

    @Test
    void decoded_isTheBatchThatWasStored() throws Exception {
        TelemetryRecord record = some.connection(START);
        StoredBatch stored = new StoredBatch(
                new BatchId("agent@a", 1, 2), 0, List.of(RecordCodec.encode(record)));

        assertThat(stored.decoded()).isEqualTo(SomeRecords.batch("agent@a", 2, record));
    }
}
