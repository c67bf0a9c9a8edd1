package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.clickhouse.ClickHouseFailures;
import dev.komainu.central.clickhouse.ClickHouseSettings;
import dev.komainu.central.room.WatchedPlace;
import dev.komainu.central.store.RecordServerState.Condition;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Consumer;

/**
 * The store on a ClickHouse server: one writer and group commit as in {@link DuckStore}, but no
 * transactions. What counts is decided by the names of batches; see {@link ClickHouseTables} and
 * {@link ClickHouseEngine}.
 */
public final class ClickHouseStore extends QueuedStore implements ObservedRecordServer {

    private final RollUpProgress progress = new RollUpProgress();
    private final ClickHouseDays days;
    private final ClickHouseQueries queries;
    private final ClickHouseWindows windows;
    private final ConnectionPages connections;
    private final StoreWriter writer;
    private final ClickHouseEngine engine;
    private final KeptAges kept;
    private final ClickHouseClient client;
    private final ClickHouseMeter meter;
    private final SystemLogs logs;
    private final ClickHouseWatch watch;

    /**
     * Creates the tables if they do not exist, and takes the database over from a service that used
     * it before.
     *
     * @throws StoreException when the server cannot be used
     */
    public ClickHouseStore(StoreSettings settings, ClickHouseSettings server, Clock clock) {
        KnownBatches known = new KnownBatches();
        try {
            client = new ClickHouseClient(server, settings.threads(), clock);
        } catch (IOException e) {
            throw new StoreException("store: " + e.getMessage(), e);
        }
        ClickHouseCluster cluster = new ClickHouseCluster(client, server);
        meter = new ClickHouseMeter(cluster, clock);
        logs = new SystemLogs(client, server.logs(), clock);
        watch = new ClickHouseWatch(meter, logs);
        days = new ClickHouseDays(
                client, cluster, settings, server.rollUpDays(), clock, meter::newest);
        // The hours of the capacity page are control data, and have no other setting.
        kept = new KeptAges(
                settings.kept().rawDays(), server.rollUpDays(), settings.kept().hourDays());
        try {
            new ClickHouseTables(client, cluster).create();
            ClickHouseRecall.Recalled recalled = new ClickHouseRecall(
                            client, cluster, progress, known)
                    .read(LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC));
            engine = new ClickHouseEngine(clock, client, cluster, progress, known, days, recalled);
            engine.rollUp();
            engine.sweep();
            meter.measure();
        } catch (SQLException e) {
            client.close();
            throw new StoreException(
                    "komainu.records.url: " + client.address() + ": " + e.getMessage(), e);
        }
        queries = new ClickHouseQueries(
                client, engine::committed, settings.readers(), server.timeout());
        windows = new ClickHouseWindows(client, queries, progress, engine::committed);
        connections = new ConnectionPages(queries);
        writer = new StoreWriter(engine, progress, known, settings.groupRecords());
        watch.start();
    }

    @Override
    public RecordServerState server() {
        ClickHouseFailures.Outage away = client.failures().outage();
        ClickHouseFailures.Outage notStoring = engine.notStoring();
        ClickHouseFailures.Outage outage = away != null ? away : notStoring;
        return new RecordServerState(
                client.address().toString(),
                away != null
                        ? Condition.AWAY
                        : notStoring != null ? Condition.NOT_STORING : Condition.STORING,
                outage == null ? null : outage.since(),
                outage == null ? null : outage.reason(),
                writer.oldest(),
                meter.newest(),
                meter.isCurrent(),
                client.failures().all().stream()
                        .map(each -> new RecordServerState.Failure(
                                each.kind().text(), each.count(), each.lastAt(), each.lastText()))
                        .toList(),
                logs.use());
    }

    /** Returns the room on the server's disk. */
    WatchedPlace room(long leastBytes) {
        return new ClickHouseRoom(meter::newest, leastBytes);
    }

    /** Registers the figures of the server, as they were measured last. */
    void register(MeterRegistry meters) {
        new RecordServerMetrics(this, meters).register();
        FunctionCounter.builder("komainu.records.failures", engine, ClickHouseEngine::failures)
                .description("Writes that the database of the telemetry did not carry out")
                .register(meters);
        Gauge.builder("komainu.records.backlog", this, each -> each.backlog().toNanos() / 1e9)
                .baseUnit("seconds")
                .description("Time that a new batch waits until it is stored")
                .register(meters);
    }

    /** Writes the open roll-ups and deletes old days now instead of at the scheduled time. */
    void runUpkeep() throws InterruptedException {
        writer.await(null);
        meter.measure();
    }

    @Override
    public List<WindowStep<ServiceWindow>> serviceWindows(
            List<String> services, TimeRange range, Duration step) {
        return windows.steps(
                Rows.SERVICE_WINDOW,
                progress.serviceSum(),
                progress.services(),
                services,
                range,
                step);
    }

    @Override
    public List<WindowStep<ProxyWindow>> proxyWindows(
            List<String> services, TimeRange range, Duration step) {
        return windows.steps(
                Rows.PROXY_WINDOW, progress.proxySum(), progress.proxies(), services, range, step);
    }

    /** Sums of ten seconds are kept for every day, so every step of their multiples shows all. */
    @Override
    public Duration fittingStep(TimeRange range, Duration wished) {
        return StepSources.fittingStep(List.of(), List.of(), range, wished);
    }

    @Override
    public KeptAges kept() {
        return kept;
    }

    @Override
    public void hostSamples(String node, TimeRange range, Consumer<? super HostSample> consumer) {
        queries.facts(Rows.HOST_SAMPLE, node, range, HostSample.class, consumer);
    }

    @Override
    StoreWriter writer() {
        return writer;
    }

    @Override
    RecordQueries queries() {
        return queries;
    }

    @Override
    ConnectionPages pages() {
        return connections;
    }

    @Override
    public StorageUse storage() {
        return days.storage();
    }

    @Override
    public void close() {
        watch.close();
        writer.close();
    }
}
