package dev.komainu.central.store;

import static dev.komainu.central.store.SomeRecords.SECOND;
import static dev.komainu.central.store.SomeRecords.START;
import static dev.komainu.central.store.SomeRecords.batch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.central.indices.Told;
import dev.komainu.central.store.RecordStore.Outcome;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.Handshake;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of every store. */
abstract class RecordStoreContract {

    private static final TimeRange HOUR = new TimeRange(START, START + 3600 * SECOND);

    final SomeRecords some = new SomeRecords(42);
    RecordStore store;

    abstract RecordStore open() throws Exception;

    /** Writes the open roll-ups, if the store has any. */
    void upkeep() throws Exception {}

    @BeforeEach
    void openStore() throws Exception {
        store = open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void append_sameNameTwice_isStoredOnce() throws Exception {
        Batch first = batch("a", 1, some.connection(START));

        assertThat(store.append(first)).isEqualTo(Outcome.STORED);
        assertThat(store.append(first)).isEqualTo(Outcome.DUPLICATE);
        assertThat(store.append(new Batch(new BatchId("a", 2, 1), first.records())))
                .isEqualTo(Outcome.STORED);
        assertThat(store.append(new Batch(new BatchId("b", 1, 1), List.of())))
                .isEqualTo(Outcome.STORED);
        assertThat(store.append(batch("b", 1, some.connection(START))))
                .isEqualTo(Outcome.DUPLICATE);

        assertThat(store.connections(ConnectionQuery.of(List.of(), HOUR, 100)).items())
                .hasSize(2);
        assertThat(store.storage().batches()).isEqualTo(3);
    }

    @Test
    void append_extremeSequences_areDuplicatesWhenRepeated() throws Exception {
        for (long sequence :
                new long[] {Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 1, 0, -1}) {
            assertThat(store.append(batch("x", sequence))).isEqualTo(Outcome.STORED);
            assertThat(store.append(batch("x", sequence))).isEqualTo(Outcome.DUPLICATE);
        }
        assertThat(store.append(batch("x", 5))).isEqualTo(Outcome.STORED);
    }

    @Test
    void accessLogWindows_byTheirStart_eachOnceTheLastReplacesEarlierOnes() throws Exception {
        store.append(batch(
                "a",
                1,
                Told.log("web:80", START / SECOND, 1, 10),
                Told.log("web:81", START / SECOND, 9, 90)));
        store.append(batch("a", 2, Told.log("web:80", START / SECOND + 10, 2, 20)));
        store.append(batch("a", 3, Told.log("web:80", START / SECOND, 3, 30)));

        assertThat(store.accessLogWindows(List.of("web:80", "10.0.0.1:80"), HOUR))
                .extracting(window -> window.counts().entries())
                .containsExactly(30L, 20L);
        assertThat(store.accessLogWindows(
                        List.of("web:80"), new TimeRange(START, START + 10 * SECOND)))
                .hasSize(1);
    }

    @Test
    void connections_pageByPage_giveEachOnceNewestFirst() throws Exception {
        List<ConnectionRecord> all = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            List<TelemetryRecord> records = new ArrayList<>();
            for (int j = 0; j < 20; j++) {
                records.add(some.connection(START + (j % 7) * SECOND));
            }
            records.forEach(it -> all.add((ConnectionRecord) it));
            store.append(new Batch(new BatchId("a", 1, i), records));
        }

        List<ConnectionRecord> read = new ArrayList<>();
        String after = null;
        int pages = 0;
        do {
            StoredPage<ConnectionRecord> page =
                    store.connections(ConnectionQuery.of(List.of(), HOUR, 13).after(after));
            page.items().forEach(stored -> read.add(stored.record()));
            after = page.next();
            pages++;
        } while (after != null);

        assertThat(pages).isEqualTo(8);
        assertThat(read).containsExactlyInAnyOrderElementsOf(all);
        assertThat(read)
                .isSortedAccordingTo(
                        (a, b) -> Long.compare(b.times().endMicros(), a.times().endMicros()));
    }

    @Test
    void connection_byItsKey_isFound() throws Exception {
        ConnectionRecord one = some.connection(START + 5);
        store.append(
                batch("agent@web", 1, some.connection(START + 5), one, some.connection(START + 5)));

        StoredRecord<ConnectionRecord> listed = store.connections(
                        ConnectionQuery.of(List.of(), HOUR, 10))
                .items()
                .get(1);

        assertThat(listed.record()).isEqualTo(one);
        assertThat(listed.source()).isEqualTo("agent@web");
        assertThat(store.connection(listed.key())).contains(listed);
        assertThat(store.connection("1_1")).isEmpty();
        assertThatThrownBy(() -> store.connection("nonsense"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key: nonsense (expected: a key that the store returned)");
    }

    @Test
    void windows_summedToAStep_addCountersWeighMeansTakeMaximaMergeDistributions()
            throws Exception {
        store.append(batch(
                "a", 1, window(START, 10, 2.0, 3, 1000), window(START + SECOND, 20, 4.0, 9, 3000)));
        store.append(batch("a", 2, window(START + 12 * SECOND, 5, 1.0, 1, 500)));

        List<WindowStep<ServiceWindow>> tens =
                store.serviceWindows(List.of("web"), HOUR, Duration.ofSeconds(10));

        assertThat(tens).hasSize(2);
        WindowStep<ServiceWindow> first = tens.getFirst();
        assertThat(first.fromMicros()).isEqualTo(START);
        assertThat(first.lengthMicros()).isEqualTo(10 * SECOND);
        assertThat(first.coveredMicros()).isEqualTo(2 * SECOND);
        assertThat(first.total().connections().arrivals()).isEqualTo(30);
        assertThat(first.total().concurrency().concurrentMean()).isCloseTo(3.0, within(1e-9));
        assertThat(first.total().concurrency().concurrentMax()).isEqualTo(9);
        assertThat(first.total().times().response().count()).isEqualTo(2);
        assertThat(first.total().times().response().toHistogram().getValueAtPercentile(100))
                .isBetween(2990L, 3030L);
        assertThat(tens.get(1).total().connections().arrivals()).isEqualTo(5);

        List<WindowStep<ServiceWindow>> minute =
                store.serviceWindows(List.of("web"), HOUR, Duration.ofMinutes(1));
        assertThat(minute).hasSize(1);
        assertThat(minute.getFirst().total().connections().arrivals()).isEqualTo(35);
        assertThat(minute.getFirst().total().concurrency().concurrentMean())
                .isCloseTo(7.0 / 3, within(1e-9));
        assertThat(minute.getFirst().coveredMicros()).isEqualTo(3 * SECOND);

        assertThat(store.serviceWindows(List.of("web"), HOUR, Duration.ofSeconds(1)))
                .extracting(step -> step.total().connections().arrivals())
                .containsExactly(10L, 20L, 5L);
    }

    private static ServiceWindow window(
            long from, long arrivals, double mean, long max, long response) {
        Histogram recorder = Distribution.newRecorder();
        Distribution.record(recorder, response);
        ServiceWindow it = new SomeRecords(1).window("web", from);
        return new ServiceWindow(
                "web",
                from,
                SECOND,
                new ServiceWindow.Connections(arrivals, 0, 0, 0, 0, 0, 0),
                new ServiceWindow.Exchanges(0, 0, 0),
                new ServiceWindow.Concurrency(mean, max, 0),
                new ServiceWindow.Packets(it.packets().up(), it.packets().down(), 0, 0, 0, 0),
                new ServiceWindow.Times(
                        Distribution.of(recorder), Distribution.empty(), Distribution.empty()),
                null);
    }

    @Test
    void windows_twoProbesOnOneService_neverCountTwice() throws Exception {
        List<TelemetryRecord> fromA = new ArrayList<>();
        List<TelemetryRecord> fromB = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            fromA.add(window(START + i * SECOND, 10, 1, 1, 1));
            if (i != 4) {
                fromB.add(window(START + i * SECOND, 10, 1, 1, 1));
            }
        }
        store.append(new Batch(new BatchId("b", 1, 1), fromB));
        store.append(new Batch(new BatchId("a", 1, 1), fromA));

        for (int step : new int[] {1, 5, 10, 60}) {
            assertThat(store.serviceWindows(List.of("web"), HOUR, Duration.ofSeconds(step)).stream()
                            .mapToLong(each -> each.total().connections().arrivals()))
                    .as("step %s s", step)
                    .satisfies(arrivals -> assertThat(
                                    arrivals.stream().mapToLong(Long::longValue).sum())
                            .isEqualTo(100));
        }
    }

    /**
     * One probe is killed in the middle, the other started shortly before: together they observed
     * every second.
     */
    @Test
    void windows_oneProbeTakesOverFromAnother_everySecondCountsOnceInEveryStep() throws Exception {
        List<TelemetryRecord> fromA = new ArrayList<>();
        List<TelemetryRecord> fromB = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            if (i < 24 || i > 47) {
                fromA.add(window(START + i * SECOND, 10, 1, 1, 1));
            }
            if (i >= 21 && i != 30) {
                fromB.add(window(START + i * SECOND, 10, 1, 1, 1));
            }
        }
        store.append(new Batch(new BatchId("a", 1, 1), fromA));
        upkeep();
        store.append(new Batch(new BatchId("b", 1, 1), fromB));

        for (int step : new int[] {1, 2, 5, 10, 20, 60}) {
            List<WindowStep<ServiceWindow>> steps =
                    store.serviceWindows(List.of("web"), HOUR, Duration.ofSeconds(step));
            assertThat(steps.stream()
                            .mapToLong(each -> each.total().connections().arrivals())
                            .sum())
                    .as("step %s s", step)
                    .isEqualTo(590);
            assertThat(steps.stream().mapToLong(WindowStep::coveredMicros).sum())
                    .as("step %s s", step)
                    .isEqualTo(59 * SECOND);
        }
    }

    /** Two probes see a part each; the sum of both was stored from the fifth second on. */
    @ParameterizedTest
    @ValueSource(ints = {10, 30, 45, 60})
    void windows_ofTheUnion_countInsteadOfThoseOfTheSources(int to) throws Exception {
        List<TelemetryRecord> fromA = new ArrayList<>();
        List<TelemetryRecord> fromB = new ArrayList<>();
        List<TelemetryRecord> union = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            fromA.add(window(START + i * SECOND, 3, 1, 1, 1));
            fromB.add(window(START + i * SECOND, 3, 1, 1, 1));
            if (i >= 5 && i < to) {
                union.add(window(START + i * SECOND, 5, 1, 1, 1));
            }
        }
        store.append(new Batch(new BatchId("a", 1, 1), fromA));
        store.append(new Batch(new BatchId("b", 1, 1), fromB));
        upkeep();
        store.append(new Batch(new BatchId(SourceSelection.UNION, 1, 1), union));

        assertArrivalsInEveryStep(60 * 3 + (to - 5) * 2L);
    }

    /**
     * A restarted agent observed its first second only in part; the probe elsewhere observed it
     * completely.
     */
    @Test
    void windows_firstAndLastSecondOfASource_comeFromTheCompleteReport() throws Exception {
        pausedFrom(17);
    }

    @Test
    void windows_sourceReturnsWithTheNextTenSeconds_itsFirstSecondComesFromTheCompleteReport()
            throws Exception {
        pausedFrom(38);
    }

    /** An agent is killed, and is back before the second is over. */
    @Test
    void windows_sourceMarksASecondAsPartial_itComesFromTheCompleteReport() throws Exception {
        List<TelemetryRecord> beside = new ArrayList<>();
        List<TelemetryRecord> elsewhere = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            ServiceWindow whole = window(START + i * SECOND, 10, 1, 1, 1);
            elsewhere.add(whole);
            beside.add(
                    i == 17
                            ? window(whole.fromMicros(), 4, 1, 1, 1)
                                    .since(whole.fromMicros() + 600_000)
                            : whole);
        }
        store.append(new Batch(new BatchId("a", 1, 1), beside));
        upkeep();
        store.append(new Batch(new BatchId("b", 1, 1), elsewhere));

        assertArrivalsInEveryStep(600);
    }

    private void pausedFrom(int gone) throws Exception {
        List<TelemetryRecord> beside = new ArrayList<>();
        List<TelemetryRecord> elsewhere = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            if (i < gone || i >= 40) {
                beside.add(window(START + i * SECOND, i == gone - 1 || i == 40 ? 4 : 10, 1, 1, 1));
            }
            elsewhere.add(window(START + i * SECOND, 10, 1, 1, 1));
        }
        store.append(new Batch(new BatchId("a", 1, 1), beside));
        store.append(new Batch(new BatchId("b", 1, 1), elsewhere));

        assertArrivalsInEveryStep(600);
    }

    private void assertArrivalsInEveryStep(long expected) throws Exception {
        for (int step : new int[] {1, 5, 10, 60}) {
            assertThat(store.serviceWindows(List.of("web"), HOUR, Duration.ofSeconds(step)).stream()
                            .mapToLong(each -> each.total().connections().arrivals())
                            .sum())
                    .as("step %s s", step)
                    .isEqualTo(expected);
        }
    }

    /**
     * Observed from elsewhere a server has as many names as addresses; their windows cover the same
     * time.
     */
    @Test
    void windows_twoAddressesOfOneServerFromOneSource_areAddedUp() throws Exception {
        List<TelemetryRecord> windows = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            windows.add(named("10.0.0.1:80", window(START + i * SECOND, 10, 2, 3, 1)));
            windows.add(named("10.0.0.2:80", window(START + i * SECOND, 5, 1, 2, 1)));
        }
        store.append(new Batch(new BatchId("a", 1, 1), windows));

        for (int step : new int[] {1, 10, 60}) {
            List<WindowStep<ServiceWindow>> steps = store.serviceWindows(
                    List.of("web:80", "10.0.0.1:80", "10.0.0.2:80"),
                    HOUR,
                    Duration.ofSeconds(step));
            assertThat(steps.stream()
                            .mapToLong(each -> each.total().connections().arrivals())
                            .sum())
                    .as("step %s s", step)
                    .isEqualTo(150);
            assertThat(steps.stream().mapToLong(WindowStep::coveredMicros).sum())
                    .isEqualTo(10 * SECOND);
            assertThat(steps).allSatisfy(each -> {
                assertThat(each.total().concurrency().concurrentMean()).isEqualTo(3);
                assertThat(each.total().concurrency().concurrentMax()).isEqualTo(5);
            });
        }
    }

    /**
     * Both probes observed all connections; then one was stopped during some, and the other started
     * during some.
     */
    @Test
    void connections_ofTwoProbes_areListedOnceOnPagesOfEverySize() throws Exception {
        List<TelemetryRecord> fromA = new ArrayList<>();
        List<TelemetryRecord> fromB = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            long start = START + i * SECOND / 4;
            long end = start + (i % 7) * SECOND;
            // The same port again, ten seconds later.
            String client = "192.0.2.1:" + (4000 + i % 40);
            boolean aStopped = end > START + 12 * SECOND;
            boolean bBegan = start < START + 2 * SECOND;
            if (start <= START + 12 * SECOND) {
                fromA.add(connection(
                        "web",
                        client,
                        start,
                        aStopped ? START + 12 * SECOND : end,
                        aStopped ? ConnectionState.OPEN : ConnectionState.NORMAL));
            }
            if (end >= START + 2 * SECOND) {
                fromB.add(connection(
                        "192.0.2.9:80",
                        client,
                        bBegan ? START + 2 * SECOND + i : start + 3_000,
                        end + 3_000,
                        bBegan ? ConnectionState.MIDSTREAM : ConnectionState.NORMAL));
            }
        }
        store.append(new Batch(new BatchId("a", 1, 1), fromA));
        store.append(new Batch(new BatchId("b", 1, 1), fromB));

        for (int limit : new int[] {1, 7, 60, 1_000}) {
            List<StoredRecord<ConnectionRecord>> all = new ArrayList<>();
            ConnectionQuery query = ConnectionQuery.of(List.of("web", "192.0.2.9:80"), HOUR, limit);
            StoredPage<ConnectionRecord> page;
            do {
                page = store.connections(query);
                assertThat(page.items()).hasSizeLessThanOrEqualTo(limit);
                all.addAll(page.items());
                query = query.after(page.next());
            } while (page.next() != null);
            assertThat(all).as("pages of %s", limit).hasSize(60);
            assertThat(all)
                    .allSatisfy(stored ->
                            assertThat(stored.record().state()).isEqualTo(ConnectionState.NORMAL));
        }
    }

    private static ConnectionRecord connection(
            String service, String client, long start, long end, ConnectionState state) {
        DirectionTotals totals = new DirectionTotals(3, 120, 0, 0, 0, 0, 0);
        return new ConnectionRecord(
                service,
                Endpoint.parse(client),
                Endpoint.parse("192.0.2.9:80"),
                new ConnectionRecord.Times(start, end, end - start, null),
                state,
                Handshake.UNSEEN,
                totals,
                totals,
                List.of(),
                0,
                null);
    }

    private static ServiceWindow named(String service, ServiceWindow it) {
        return new ServiceWindow(
                service,
                it.fromMicros(),
                it.lengthMicros(),
                new ServiceWindow.Connections(
                        it.connections().arrivals(),
                        it.connections().ended(),
                        it.connections().refused(),
                        it.connections().noAnswer(),
                        it.connections().resetsByClient(),
                        it.connections().resetsByServer(),
                        0),
                it.exchanges(),
                it.concurrency(),
                it.packets(),
                new ServiceWindow.Times(
                        it.times().response(), it.times().transfer(), it.times().connection()),
                null);
    }

    @Test
    void windows_stepThatCannotBe_isRefused() {
        for (Duration step :
                List.of(Duration.ZERO, Duration.ofMillis(1500), Duration.ofSeconds(15))) {
            assertThatThrownBy(() -> store.serviceWindows(List.of("web"), HOUR, step))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(
                            "(expected: 1 s to 9 s, or a multiple of 10 s up to 40 days)");
        }
    }

    @Test
    void queries_onAnEmptyStore_returnNothing() {
        assertThat(store.connections(ConnectionQuery.of(List.of("web"), TimeRange.all(), 10))
                        .items())
                .isEmpty();
        assertThat(store.exchanges(ExchangeQuery.of(List.of(), HOUR, 10)).next())
                .isNull();
        assertThat(store.serviceWindows(List.of("web"), TimeRange.all(), Duration.ofSeconds(10)))
                .isEmpty();
        assertThat(store.hostSamples("node0", HOUR)).isEmpty();
        assertThat(store.sightings(HOUR)).isEmpty();
        assertThat(store.statuses(HOUR)).isEmpty();
        assertThat(store.backlog()).isZero();
    }

    @Test
    void filters_combine() throws Exception {
        ConnectionRecord wanted = some.connection(START + 100);
        store.append(batch("a", 1, wanted));
        ConnectionQuery all = new ConnectionQuery(
                List.of(wanted.service()),
                new TimeRange(START + 100, START + 101),
                wanted.state(),
                wanted.client().address().getHostAddress(),
                wanted.times().durationMicros(),
                null,
                null,
                1,
                null);

        assertThat(store.connections(all).items()).hasSize(1);
        assertThat(store.connections(new ConnectionQuery(
                                all.services(),
                                all.range(),
                                ConnectionState.MIDSTREAM,
                                all.client(),
                                null,
                                null,
                                null,
                                1,
                                null))
                        .items())
                .isEmpty();
        assertThat(store.connections(
                                ConnectionQuery.of(List.of(), new TimeRange(START, START + 100), 1))
                        .items())
                .isEmpty();
    }
}
