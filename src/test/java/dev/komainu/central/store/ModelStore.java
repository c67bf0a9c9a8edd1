package dev.komainu.central.store;

import dev.komainu.central.store.Summation.Part;
import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.MalformedBatchException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A simple model of the store: lists in memory. The results of DuckStore must equal its results.
 */
public final class ModelStore implements RecordStore {

    private record Row(long at, long key, String source, TelemetryRecord record) {}

    private final List<Row> rows = new ArrayList<>();
    private final Set<BatchId> known = new HashSet<>();

    @Override
    public synchronized Outcome append(Batch batch) {
        if (!known.add(batch.id())) {
            return Outcome.DUPLICATE;
        }
        long key = (long) known.size() << Rows.KEY_BITS;
        for (TelemetryRecord record : batch.records()) {
            rows.add(new Row(record.atMicros(), key++, batch.id().source(), record));
        }
        return Outcome.STORED;
    }

    @Override
    public Duration backlog() {
        return Duration.ZERO;
    }

    private synchronized <T extends TelemetryRecord> StoredPage<T> page(
            Class<T> type, Predicate<T> filter, TimeRange range, String after, int limit) {
        RecordPosition place = after == null ? null : RecordPosition.parse(after);
        List<StoredRecord<T>> all = rows.stream()
                .filter(row -> type.isInstance(row.record()) && range.contains(row.at()))
                .filter(row -> filter.test(type.cast(row.record())))
                .filter(row -> place == null
                        || row.at() < place.atMicros()
                        || (row.at() == place.atMicros() && row.key() < place.key()))
                .sorted(Comparator.comparingLong(Row::at)
                        .thenComparingLong(Row::key)
                        .reversed())
                .limit(limit + 1L)
                .map(row -> new StoredRecord<>(
                        new RecordPosition(row.at(), row.key()).toString(),
                        row.source(),
                        type.cast(row.record())))
                .toList();
        return all.size() <= limit
                ? new StoredPage<>(all, null)
                : new StoredPage<>(all.subList(0, limit), all.get(limit - 1).key());
    }

    private static boolean among(List<String> services, String service) {
        return services.isEmpty() || services.contains(service);
    }

    @Override
    public synchronized StoredPage<ConnectionRecord> connections(ConnectionQuery query) {
        List<StoredRecord<ConnectionRecord>> stored = page(
                        ConnectionRecord.class,
                        it -> among(query.services(), it.service()),
                        TimeRange.all(),
                        null,
                        Integer.MAX_VALUE - 1)
                .items();
        String id = query.services().isEmpty() ? null : query.services().getFirst();
        Set<ConnectionRecord> outdone = Collections.newSetFromMap(new IdentityHashMap<>());
        for (StoredRecord<ConnectionRecord> one : stored) {
            if (stored.stream().anyMatch(other -> DuplicateConnections.isOutdone(one, other, id))) {
                outdone.add(one.record());
            }
        }
        return page(
                ConnectionRecord.class,
                it -> !outdone.contains(it)
                        && among(query.services(), it.service())
                        && (query.state() == null || query.state() == it.state())
                        && (query.client() == null
                                || query.client().equals(it.client().address().getHostAddress()))
                        && (query.minDurationMicros() == null
                                || it.times().durationMicros() >= query.minDurationMicros())
                        && (query.minResponseMicros() == null
                                || Rows.slowest(it) >= query.minResponseMicros())
                        && (query.target() == null || Rows.targets(it).contains(query.target())),
                query.range(),
                query.after(),
                query.limit());
    }

    @Override
    public synchronized Optional<StoredRecord<ConnectionRecord>> connection(String key) {
        RecordPosition.parse(key);
        return page(
                        ConnectionRecord.class,
                        it -> true,
                        TimeRange.all(),
                        null,
                        Integer.MAX_VALUE - 1)
                .items()
                .stream()
                .filter(stored -> stored.key().equals(key))
                .findFirst();
    }

    @Override
    public StoredPage<ProxyExchange> exchanges(ExchangeQuery query) {
        return page(
                ProxyExchange.class,
                it -> among(query.services(), it.service())
                        && (query.outcome() == null || query.outcome() == it.outcome())
                        && (query.client() == null
                                || query.client().equals(it.client().address().getHostAddress()))
                        && (query.minResponseMicros() == null
                                || it.responseMicros() >= query.minResponseMicros())
                        && (query.target() == null || it.target().contains(query.target())),
                query.range(),
                query.after(),
                query.limit());
    }

    private synchronized <W extends TelemetryRecord> List<WindowStep<W>> steps(
            Summation<W> summation, List<String> services, TimeRange asked, Duration step) {
        TimeRange range = StepCollector.micros(step) < StepCollector.SLOT_MICROS
                ? asked
                : asked.widened(StepCollector.SLOT_MICROS);
        if (services.isEmpty()) {
            return List.of();
        }
        StepCollector<W> steps = new StepCollector<>(
                summation,
                step,
                services.getFirst(),
                SlotGrid.of(StepCollector.SLOT_MICROS),
                stretch -> windows(summation, services, stretch));
        try {
            for (StepCollector.SourceWindow<W> window : windows(summation, services, range)) {
                steps.add(
                        window.source(),
                        new Part<>(window.window(), summation.lengthMicros(window.window())));
            }
            return steps.finish();
        } catch (SQLException | MalformedBatchException e) {
            throw new AssertionError(e);
        }
    }

    private synchronized <W extends TelemetryRecord> List<StepCollector.SourceWindow<W>> windows(
            Summation<W> summation, List<String> services, TimeRange range) {
        List<StepCollector.SourceWindow<W>> windows = new ArrayList<>();
        for (Row row : rows) {
            W window = summation.windowOf(row.record());
            if (window != null
                    && services.contains(summation.service(window))
                    && range.contains(summation.fromMicros(window))) {
                windows.add(new StepCollector.SourceWindow<>(row.source(), window));
            }
        }
        windows.sort(Comparator.comparingLong(window -> summation.fromMicros(window.window())));
        return windows;
    }

    @Override
    public List<WindowStep<ServiceWindow>> serviceWindows(
            List<String> services, TimeRange range, Duration step) {
        return steps(new ServiceSum(), services, range, step);
    }

    @Override
    public List<WindowStep<ProxyWindow>> proxyWindows(
            List<String> services, TimeRange range, Duration step) {
        return steps(new ProxySum(), services, range, step);
    }

    private synchronized <T extends TelemetryRecord> List<T> facts(
            Class<T> type, Predicate<T> filter, TimeRange range) {
        return rows.stream()
                .filter(row -> type.isInstance(row.record()) && range.contains(row.at()))
                .filter(row -> filter.test(type.cast(row.record())))
                .sorted(Comparator.comparingLong(Row::at).thenComparingLong(Row::key))
                .map(row -> type.cast(row.record()))
                .toList();
    }

    @Override
    public Duration fittingStep(TimeRange range, Duration wished) {
        return StepSources.fittingStep(List.of(), List.of(), range, wished);
    }

    @Override
    public KeptAges kept() {
        return KeptAges.byDefault();
    }

    @Override
    public synchronized List<AccessLogWindow> accessLogWindows(
            List<String> services, TimeRange range) {
        Map<Long, AccessLogWindow> byStart = new TreeMap<>();
        rows.stream()
                .map(Row::record)
                .filter(AccessLogWindow.class::isInstance)
                .map(AccessLogWindow.class::cast)
                .filter(it -> services.contains(it.service()) && range.contains(it.fromMicros()))
                .forEach(it -> byStart.put(it.fromMicros(), it));
        return List.copyOf(byStart.values());
    }

    @Override
    public void hostSamples(String node, TimeRange range, Consumer<? super HostSample> consumer) {
        facts(HostSample.class, it -> it.node().equals(node), range).forEach(consumer);
    }

    @Override
    public List<ServiceSighting> sightings(TimeRange range) {
        return facts(ServiceSighting.class, it -> true, range);
    }

    @Override
    public List<SourceStatus> statuses(TimeRange range) {
        return facts(SourceStatus.class, it -> true, range);
    }

    @Override
    public synchronized StorageUse storage() {
        return new StorageUse(0, known.size(), 0, null, 0, 0, 0);
    }

    @Override
    public void close() {}
}
