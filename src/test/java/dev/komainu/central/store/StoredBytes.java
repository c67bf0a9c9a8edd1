package dev.komainu.central.store;

import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.record.TimesGrid;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.springframework.util.FileSystemUtils;
import org.springframework.util.unit.DataSize;

/**
 * A measurement, not a test: bytes that the windows of a service take on disk for a day, raw and
 * rolled up, by the requests of the service per second. Response and transfer times are log-normal,
 * around 20 ms and 5 ms, so that many buckets are in use. Connections and exchanges are not in it:
 * they depend on traffic, and are never rolled up.
 *
 * <p>Arguments: number of services, and requests a second, of which several may follow. With the
 * first of them it also measures a query of three years.
 */
final class StoredBytes {

    private static final int BATCH_SECONDS = 60;
    private static final int DAY_SECONDS = 86_400;

    private StoredBytes() {}

    public static void main(String[] args) throws Exception {
        int services = Integer.parseInt(args[0]);
        System.out.println(
                "| requests a second | raw and ten seconds | minutes | hours | rolled up in |");
        System.out.println("|---|---|---|---|---|");
        for (int i = 1; i < args.length; i++) {
            Path directory = Files.createTempDirectory("komainu-bytes-");
            try {
                measure(directory, services, Integer.parseInt(args[i]), i == 1);
            } finally {
                FileSystemUtils.deleteRecursively(directory);
            }
        }
    }

    private static void measure(Path directory, int services, int requests, boolean forYears)
            throws Exception {
        SettableClock clock = new SettableClock("2026-11-21T00:00:00Z");
        Random random = new Random(1);
        try (DuckStore store = new DuckStore(
                StoreSettings.of(directory).withRetention(30, DataSize.ofTerabytes(1)), clock)) {
            for (int second = 0; second < DAY_SECONDS; second += BATCH_SECONDS) {
                List<TelemetryRecord> windows = new ArrayList<>();
                for (int i = 0; i < BATCH_SECONDS; i++) {
                    for (int service = 0; service < services; service++) {
                        windows.add(window(
                                "web:" + service,
                                SomeRecords.START + (second + i) * SomeRecords.SECOND,
                                requests,
                                random));
                    }
                }
                store.append(new Batch(new BatchId("agent@web", 1, second + 1), windows));
                clock.pass(Duration.ofSeconds(BATCH_SECONDS));
            }
            long begun = System.nanoTime();
            store.runUpkeep();
            long nanos = System.nanoTime() - begun;
            StorageUse use = store.storage();
            System.out.println(String.join(
                    " | ",
                    "| " + requests,
                    kilobytes(use.bytes(), services),
                    kilobytes(use.minuteBytes(), services),
                    kilobytes(use.hourBytes(), services),
                    String.format(Locale.ROOT, "%.1f s |", nanos / 1e9 / services)));
            query(store, "a day in minutes", 1, Duration.ofMinutes(1));
        }
        if (forYears) {
            years(directory, clock);
        }
    }

    /** Copies the hours of the day until there are three years of them. */
    private static void years(Path directory, SettableClock clock) throws Exception {
        Path hours = directory.resolve("hours");
        Path made;
        try (var files = Files.list(hours)) {
            made = files.findFirst().orElseThrow();
        }
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            for (int day = 1; day < 1_095; day++) {
                statement.execute("COPY (SELECT * REPLACE (instant - " + day
                        + " * 86400000000 AS instant) FROM '" + made + "') TO '"
                        + hours.resolve(LocalDate.parse("2026-11-21").minusDays(day) + "." + day
                                + ".1.parquet")
                        + "' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 2048)");
            }
        }
        long begun = System.nanoTime();
        try (DuckStore store = new DuckStore(
                StoreSettings.of(directory).withRetention(30, DataSize.ofTerabytes(1)), clock)) {
            System.err.println("opened with 1,095 days of hours in "
                    + (System.nanoTime() - begun) / 1_000_000 + " ms");
            query(store, "1,095 days in steps of a day", 1_095, Duration.ofDays(1));
            query(store, "the same again", 1_095, Duration.ofDays(1));
        }
    }

    private static void query(DuckStore store, String what, int days, Duration step) {
        long begun = System.nanoTime();
        long end = SomeRecords.START + DAY_SECONDS * SomeRecords.SECOND;
        long from = end - (long) days * DAY_SECONDS * SomeRecords.SECOND;
        var steps = store.serviceWindows(List.of("web:0"), new TimeRange(from, end), step);
        long covered = steps.stream().mapToLong(WindowStep::coveredMicros).sum();
        System.err.println(what + ": " + covered / SomeRecords.SECOND + " s of windows in "
                + (System.nanoTime() - begun) / 1_000_000 + " ms");
    }

    private static String kilobytes(long bytes, int services) {
        return String.format(Locale.ROOT, "%,.0f KB", bytes / 1_000.0 / services);
    }

    private static ServiceWindow window(String service, long from, int mean, Random random) {
        int requests =
                Math.max(0, (int) Math.round(mean + Math.sqrt(mean) * random.nextGaussian()));
        Histogram response = Distribution.newRecorder();
        Histogram transfer = Distribution.newRecorder();
        Histogram connection = Distribution.newRecorder();
        Histogram trip = Distribution.newRecorder();
        TimesGrid.Recorder grid = new TimesGrid.Recorder();
        long bytes = 0;
        for (int i = 0; i < requests; i++) {
            long responded = (long) (20_000 * Math.exp(random.nextGaussian()));
            long transferred = (long) (5_000 * Math.exp(1.5 * random.nextGaussian()));
            Distribution.record(response, responded);
            Distribution.record(transfer, transferred);
            Distribution.record(trip, (long) (10_000 * Math.exp(0.7 * random.nextGaussian())));
            if (i % 4 == 0) {
                Distribution.record(connection, responded * 4);
            }
            grid.record(responded, transferred);
            bytes += 500 + random.nextInt(30_000);
        }
        DirectionTotals down =
                new DirectionTotals(bytes / 1_400, bytes + bytes / 30, bytes, bytes, 0, 0, 0);
        Distribution trips = Distribution.of(trip);
        return new ServiceWindow(
                service,
                from,
                SomeRecords.SECOND,
                new ServiceWindow.Connections(requests / 4, requests / 4, 0, 0, 0, 0, 0),
                new ServiceWindow.Exchanges(requests, requests, 0),
                new ServiceWindow.Concurrency(requests * 0.03, 1 + requests / 10, requests * 0.02),
                new ServiceWindow.Packets(down, down, 0, bytes / 700, 0, 0),
                new ServiceWindow.Times(
                        Distribution.of(response),
                        Distribution.of(transfer),
                        Distribution.of(connection),
                        new ServiceWindow.RoundTrips(
                                Distribution.empty(),
                                trips,
                                Distribution.empty(),
                                Distribution.empty()),
                        grid.take()),
                null);
    }
}
