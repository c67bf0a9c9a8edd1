package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.central.clickhouse.ClickHouseSettings;
import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import dev.komainu.telemetry.kit.Nightly;
import dev.komainu.telemetry.record.Batch;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract on the newest engine of ClickHouse, which is to be had as a library only: chdb, from
 * PyPI. {@code -Dtest.chdb=PYTHON} names a Python that has it. Nothing is claimed for a newer
 * server: that one is not tested.
 */
@Tag(Nightly.TAG)
class NewestClickHouseTest extends RecordStoreContract {

    private static final String PROPERTY = "test.chdb";

    @TempDir
    static Path directory;

    private static Process engine;
    private static String server;
    private static int databases;

    private final SettableClock clock = new SettableClock("2026-11-21T10:00:00Z");
    private String database;

    @BeforeAll
    static void start() throws Exception {
        String python = System.getProperty(PROPERTY);
        assumeTrue(
                python != null,
                "chdb: no -D" + PROPERTY + "=PYTHON (a virtual environment with pip install chdb)");
        Path program = directory.resolve("chdb_server.py");
        try (InputStream in = Objects.requireNonNull(
                NewestClickHouseTest.class.getResourceAsStream("/clickhouse/chdb_server.py"))) {
            Files.copy(in, program);
        }
        engine = new ProcessBuilder(python, program.toString(), directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output = new BufferedReader(
                new InputStreamReader(engine.getInputStream(), StandardCharsets.UTF_8));
        server = "http://127.0.0.1:" + Objects.requireNonNull(output.readLine(), "no port");
    }

    @AfterAll
    static void stop() {
        if (engine != null) {
            engine.destroyForcibly();
            engine.onExit().join();
        }
    }

    @Override
    ClickHouseStore open() {
        if (database == null) {
            database = "test" + ++databases;
        }
        return new ClickHouseStore(
                StoreSettings.of(Path.of("unused")),
                ClickHouseSettings.read(new SettingReader(List.of(SettingSource.commandLine(
                        Map.of("komainu.records.url", server + "/" + database))))),
                clock);
    }

    @Override
    void upkeep() throws Exception {
        ((ClickHouseStore) store).runUpkeep();
    }

    @Test
    void randomOperations_everyResultEqualsTheModels() throws Exception {
        ModelStore model = new ModelStore();
        Random random = new Random(5);
        for (int round = 1; round <= 3; round++) {
            for (int i = 0; i < 6; i++) {
                Batch next = some.batch(
                        "agent" + random.nextInt(2),
                        random.nextInt(100),
                        random.nextInt(40),
                        SomeRecords.START,
                        120 * SomeRecords.SECOND);
                assertThat(store.append(next)).isEqualTo(model.append(next));
            }
            if (round == 1) {
                upkeep();
            } else {
                clock.pass(Duration.ofHours(20));
                store.close();
                store = open();
            }
            ModelComparison.compare(store, model, random, false);
        }
    }

    @Test
    void figures_haveTheDiskThatOldVersionsDoNotTell() throws Exception {
        store.append(SomeRecords.batch("a", 1, some.connection(SomeRecords.START)));
        upkeep();
        RecordServerFigures figures =
                Objects.requireNonNull(((ClickHouseStore) store).server().figures());

        RecordServerFigures.Disk disk = Objects.requireNonNull(figures.disk());
        assertThat(disk.freeBytes()).isPositive().isLessThan(disk.totalBytes());
        assertThat(figures.isLimitTold()).isTrue();
        assertThat(figures.partsLimit()).isGreaterThan(ClickHouseMeter.USUAL_PARTS_LIMIT);
        assertThat(figures.bytes()).isPositive();
        assertThat(((ClickHouseStore) store).server().failures()).isEmpty();
    }

    @Test
    void retention_dropsOldDays() throws Exception {
        for (int day = 0; day < 3; day++) {
            store.append(SomeRecords.batch("a", day, some.connection(SomeRecords.START + day)));
            clock.pass(Duration.ofDays(16));
        }
        assertThat(store.storage().days()).isEqualTo(3);
        upkeep();
        assertThat(store.storage().bytes()).isPositive();
        clock.pass(Duration.ofDays(-14));
        store.append(SomeRecords.batch("a", 3, some.connection(SomeRecords.START + 3)));
        clock.pass(Duration.ofDays(1));
        store.append(SomeRecords.batch("a", 4, some.connection(SomeRecords.START + 4)));
        clock.pass(Duration.ofDays(1));
        upkeep();

        assertThat(store.storage().days()).isEqualTo(4);
        assertThat(store.append(SomeRecords.batch("a", 1))).isEqualTo(Outcome.DUPLICATE);
        assertThat(store.connections(ConnectionQuery.of(List.of(), TimeRange.all(), 10))
                        .items())
                .hasSize(4);
    }
}
