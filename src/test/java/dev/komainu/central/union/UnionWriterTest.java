package dev.komainu.central.union;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetTable;
import dev.komainu.central.fleet.ServerLimits;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.store.ModelStore;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.StoreException;
import dev.komainu.central.store.TimeRange;
import dev.komainu.central.store.WindowStep;
import dev.komainu.central.union.SeenTraffic.Report;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ServiceWindow;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What two probes report, live and stored. */
class UnionWriterTest {

    private static final int FROM = 1_763_683_200;
    private static final int SECONDS = 20;
    private static final String SERVICE = SeenTraffic.SERVICE;

    private long second = FROM;
    private final InstantSource source = () -> Instant.ofEpochMilli(second * 1_000 + 1_200);
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private final ModelStore store = new ModelStore();
    private final ServiceUnions unions = new ServiceUnions(clock);
    private final LiveIndices live = new LiveIndices(new IndexCatalogue());
    private final LiveFeed feed =
            new LiveFeed(new Fleet(FleetTable.FORGETFUL, clock), live, clock, unions);
    private final SeenTraffic traffic = SeenTraffic.random(4, 2_000, FROM, SECONDS - 6);
    private long sequence;

    private void report(String probe, Report report) {
        Batch batch = new Batch(
                new BatchId(probe, 1, ++sequence), List.of(report.parts(), report.window()));
        store.append(batch);
        feed.stored(batch);
    }

    private void run(UnionWriter writer) throws InterruptedException {
        TreeMap<Long, Report> one = traffic.reports(talk -> talk.key() > 0, 0, FROM, SECONDS);
        TreeMap<Long, Report> two = traffic.reports(talk -> talk.key() <= 0, 0, FROM, SECONDS);
        // The service is known before its connections are requested.
        for (String probe : List.of("one", "two")) {
            feed.stored(new Batch(
                    new BatchId(probe, 1, ++sequence),
                    List.of(traffic.reports(talk -> false, 0, FROM - 1, 1)
                            .firstEntry()
                            .getValue()
                            .window())));
        }
        for (int i = 0; i < SECONDS; i++) {
            report("one", one.get((long) FROM + i));
            report("two", two.get((long) FROM + i));
            writer.write();
            second++;
        }
        second += 10;
        unions.settleAll();
        writer.write();
    }

    @Test
    void ringAndStore_areEqual_andContainEachConnectionOnce() throws Exception {
        run(new UnionWriter(unions, store, clock, new SimpleMeterRegistry()));

        TreeMap<Long, Report> all = traffic.reports(talk -> true, 0, FROM, SECONDS);
        List<WindowStep<ServiceWindow>> stored = steps(1);
        assertThat(stored).hasSize(SECONDS);
        for (WindowStep<ServiceWindow> step : stored) {
            ServiceWindow expected = all.get(step.fromMicros() / 1_000_000).window();
            assertThat(step.total()).isEqualTo(expected);
            long at = step.fromMicros() / 1_000_000;
            assertThat(live.view(SERVICE, null, ServerLimits.UNKNOWN, at)
                            .at("connectionsPerSecond", at, 1))
                    .isEqualTo(expected.connections().arrivals());
            assertThat(live.view(SERVICE, null, ServerLimits.UNKNOWN, at)
                            .at("concurrentMax", at, 1))
                    .isEqualTo(expected.concurrency().concurrentMax());
        }
        for (int step : new int[] {5, 10, 60}) {
            assertThat(steps(step).stream()
                            .mapToLong(each -> each.total().connections().arrivals())
                            .sum())
                    .isEqualTo(2_000);
        }
    }

    private List<WindowStep<ServiceWindow>> steps(int step) {
        return store.serviceWindows(
                List.of(SERVICE),
                new TimeRange(FROM * 1_000_000L, (FROM + 3_600) * 1_000_000L),
                Duration.ofSeconds(step));
    }

    /** A thread that ran before its field was set ended at once, and nothing was stored. */
    @Test
    void everyStartedWriter_runsUntilItIsStopped() throws Exception {
        // Of a whole service that other tests of this JVM share.
        Set<Thread> others = threads();
        List<UnionWriter> writers = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            writers.add(new UnionWriter(unions, store, clock, new SimpleMeterRegistry()));
        }
        try {
            writers.forEach(UnionWriter::start);

            assertThat(threadsExcept(others)).hasSize(writers.size());
        } finally {
            try (ExecutorService stops = Executors.newVirtualThreadPerTaskExecutor()) {
                writers.forEach(writer -> stops.execute(writer::stop));
            }
        }
        assertThat(threadsExcept(others)).isEmpty();
    }

    private static Set<Thread> threadsExcept(Set<Thread> others) {
        Set<Thread> threads = threads();
        threads.removeAll(others);
        return threads;
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(UnionWriter.THREAD))
                .collect(Collectors.toCollection(HashSet::new));
    }

    @Test
    void storeThatFails_getsTheSameBatchAgain() throws Exception {
        AtomicInteger failures = new AtomicInteger(3);
        RecordStore failing = (RecordStore) Proxy.newProxyInstance(
                RecordStore.class.getClassLoader(),
                new Class<?>[] {RecordStore.class},
                (proxy, method, arguments) -> {
                    RecordStore.Outcome outcome = store.append((Batch) arguments[0]);
                    if (failures.getAndDecrement() > 0) {
                        // Stored, but the response is lost.
                        throw new StoreException("full", null);
                    }
                    return outcome;
                });

        run(new UnionWriter(unions, failing, clock, new SimpleMeterRegistry()));

        assertThat(steps(1)).hasSize(SECONDS);
        assertThat(steps(60).getFirst().total().connections().arrivals()).isEqualTo(2_000);
    }

    @Test
    void windowsBeyondTheQueue_areCounted_andTheOthersStored() throws Exception {
        AtomicBoolean full = new AtomicBoolean(true);
        AtomicInteger written = new AtomicInteger();
        RecordStore failing = (RecordStore) Proxy.newProxyInstance(
                RecordStore.class.getClassLoader(),
                new Class<?>[] {RecordStore.class},
                (proxy, method, arguments) -> {
                    if (full.get()) {
                        throw new StoreException("full", null);
                    }
                    written.addAndGet(((Batch) arguments[0]).records().size());
                    return RecordStore.Outcome.STORED;
                });
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        UnionWriter writer = new UnionWriter(unions, failing, clock, registry, 5);

        run(writer);
        full.set(false);
        writer.write();

        double lost = registry.get("komainu.union.windows.lost").counter().count();
        assertThat(lost).isPositive();
        assertThat(written.get() + (int) lost).isEqualTo(SECONDS);
    }

    @Test
    void services_areRequestedByConnection_whileSeveralSourcesReportThem() {
        TreeMap<Long, Report> reports = traffic.reports(talk -> true, 0, FROM, SECONDS);
        report("one", reports.get((long) FROM));
        assertThat(unions.detailedFor("one")).isEmpty();

        report("two", reports.get((long) FROM));
        assertThat(unions.detailedFor("one")).isEqualTo(Set.of(SERVICE));
        assertThat(unions.detailedFor("two")).isEqualTo(Set.of(SERVICE));
        assertThat(unions.detailedFor("three")).isEmpty();

        second += 31;
        report("two", reports.get((long) FROM + 11));
        assertThat(unions.detailedFor("two")).isEmpty();
        second += 100;
        unions.settleAll();
        report("one", reports.get((long) FROM + 12));
        assertThat(unions.detailedFor("one")).isEmpty();
    }
}
