package dev.komainu.central.store;

import com.sun.management.OperatingSystemMXBean;
import dev.komainu.central.clickhouse.ClickHouseSettings;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * The figures of a store, for {@code ./komainu bench records}: batches of connections of fifty
 * services over a day, then the questions of the console. Arguments: the directory of a DuckDB
 * store, or the address of a ClickHouse database; the number of connections.
 */
final class StoreFigures {

    private static final int SERVICES = 50;
    private static final int IN_A_BATCH = 5_000;
    private static final long DAY = 86_400 * SomeRecords.SECOND;
    private static final int REPETITIONS = 5;

    private StoreFigures() {}

    public static void main(String[] args) throws Exception {
        long records = Long.parseLong(args[1]);
        try (RecordStore store = open(args[0])) {
            long wall = System.nanoTime();
            long cpu = cpuNanos();
            fill(store, records);
            double seconds = (System.nanoTime() - wall) / 1e9;
            print("store, records/s", records / seconds);
            print("store, CPU of this process, µs/record", (cpuNanos() - cpu) / 1e3 / records);
            upkeep(store);
            StorageUse use = store.storage();
            print("bytes/record", (double) (use.bytes() + use.minuteBytes()) / records);
            ask(store);
        }
    }

    private static RecordStore open(String where) {
        return where.startsWith("http")
                ? new ClickHouseStore(
                        StoreSettings.of(Path.of("unused")),
                        ClickHouseSettings.read(new SettingReader(List.of(
                                SettingSource.commandLine(Map.of("komainu.records.url", where))))),
                        Clock.systemUTC())
                : new DuckStore(StoreSettings.of(Path.of(where)), Clock.systemUTC());
    }

    private static void upkeep(RecordStore store) throws InterruptedException {
        if (store instanceof ClickHouseStore house) {
            house.runUpkeep();
        } else if (store instanceof DuckStore duck) {
            duck.runUpkeep();
        }
    }

    private static void fill(RecordStore store, long records) throws InterruptedException {
        Random random = new Random(1);
        SomeRecords some = new SomeRecords(1);
        long sequence = 0;
        for (long done = 0; done < records; done += IN_A_BATCH) {
            List<TelemetryRecord> batch = new ArrayList<>();
            long at = SomeRecords.START + (long) ((double) done / records * DAY);
            for (int i = 0; i < IN_A_BATCH; i++) {
                batch.add(some.connection("shop" + random.nextInt(SERVICES), at + i * 100L));
            }
            for (int i = 0; i < SERVICES; i++) {
                batch.add(some.window("shop" + i, at / SomeRecords.SECOND * SomeRecords.SECOND));
            }
            store.append(new Batch(new BatchId("bench", 1, ++sequence), batch));
        }
    }

    private static void ask(RecordStore store) {
        TimeRange day = new TimeRange(SomeRecords.START, SomeRecords.START + DAY);
        List<String> one = List.of("shop7");
        time(
                "chart of a day of one service",
                () -> store.serviceWindows(one, day, Duration.ofMinutes(10)).size());
        time(
                "newest 100 connections of one service",
                () -> store.connections(ConnectionQuery.of(one, day, 100))
                        .items()
                        .size());
        time(
                "slow responses, 20 of one service",
                () -> store.connections(new ConnectionQuery(
                                one, day, null, null, null, 999_000L, null, 20, null))
                        .items()
                        .size());
        time(
                "client and state, 100 of one service",
                () -> store.connections(new ConnectionQuery(
                                one,
                                day,
                                ConnectionState.values()[1],
                                "192.0.2.3",
                                null,
                                null,
                                null,
                                100,
                                null))
                        .items()
                        .size());
        time(
                "newest 100 connections of all",
                () -> store.connections(ConnectionQuery.of(List.of(), day, 100))
                        .items()
                        .size());
        time("top targets: 10,000 connections by pages", () -> {
            int read = 0;
            ConnectionQuery query = ConnectionQuery.of(one, day, 1_000);
            while (read < 10_000) {
                var page = store.connections(query);
                read += page.items().size();
                if (page.next() == null) {
                    break;
                }
                query = query.after(page.next());
            }
            return read;
        });
    }

    /** A question that returns the number of its results. */
    @FunctionalInterface
    private interface Question {
        int ask();
    }

    /** Prints the median of the repetitions after a first one. */
    private static void time(String what, Question question) {
        int results = question.ask();
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < REPETITIONS; i++) {
            long begun = System.nanoTime();
            question.ask();
            millis.add((System.nanoTime() - begun) / 1e6);
        }
        millis.sort(null);
        print(what + " (" + results + "), ms", millis.get(REPETITIONS / 2));
    }

    private static void print(String what, double value) {
        System.out.println(what + "\t" + String.format(Locale.ROOT, "%.1f", value));
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
