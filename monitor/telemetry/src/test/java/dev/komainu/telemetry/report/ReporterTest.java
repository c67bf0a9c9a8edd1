package dev.komainu.telemetry.report;

import static dev.komainu.telemetry.report.NumberedExchange.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReporterTest {

    @TempDir
    Path directory;

    private StubCentralService central;

    @BeforeAll
    static void setUpAll() {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(180));
    }

    @BeforeEach
    void setUp() throws IOException {
        central = new StubCentralService();
    }

    @AfterEach
    void tearDown() {
        central.close();
    }

    private ReporterSettings settings() {
        return ReporterSettings.of(central.uri(), null, "proxy@test", directory.resolve("report"))
                .withBatches(50, 64 << 10, Duration.ofMillis(20))
                .withTimeouts(
                        Duration.ofSeconds(5),
                        Duration.ofMillis(20),
                        Duration.ofMillis(100),
                        Duration.ofSeconds(5));
    }

    /** Batches close by count alone, so on any machine each has exactly 50 records. */
    private ReporterSettings exactBatches() {
        return settings().withBatches(50, 64 << 10, Duration.ofSeconds(30));
    }

    private static List<TelemetryRecord> records(int from, int to) {
        List<TelemetryRecord> all = new ArrayList<>();
        for (int i = from; i < to; i++) {
            all.add(record(i));
        }
        return all;
    }

    private Path spoolFile() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("report/spool"))) {
            return files.sorted().findFirst().orElseThrow();
        }
    }

    private long spoolFiles() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("report/spool"))) {
            return files.count();
        }
    }

    @Test
    void accept_centralResponds_everythingArrivesInOrderWithoutTheDisk() throws Exception {
        try (Reporter reporter = new Reporter(settings())) {
            records(0, 1000).forEach(reporter::accept);

            await().until(() -> reporter.status().sentRecords() == 1000);
            assertThat(central.records()).containsExactlyElementsOf(records(0, 1000));
            assertThat(reporter.drops()).isEmpty();
            assertThat(spoolFiles()).isZero();
        }
    }

    @Test
    void response_withServerStates_isDelivered() throws Exception {
        central.adds(
                ",\"judged\": {\"127.0.0.1:80\" : \"saturated/cpu\",\"[::1]:8080\":\"normal\",\"b\":\"No State\"}");
        Queue<Map<String, String>> received = new ConcurrentLinkedQueue<>();
        try (Reporter reporter = new Reporter(settings())) {
            reporter.onJudged(received::add);
            reporter.accept(record(1));

            await().until(() -> !received.isEmpty());
            assertThat(received.peek())
                    .isEqualTo(Map.of("127.0.0.1:80", "saturated/cpu", "[::1]:8080", "normal"));
        }
    }

    @Test
    void response_withServicesByConnection_isDelivered() throws Exception {
        central.adds(",\"detailed\": [\"web-01/nginx:80\", \"[::1]:8080\"],\"judged\":{}");
        Queue<Set<String>> received = new ConcurrentLinkedQueue<>();
        try (Reporter reporter = new Reporter(settings())) {
            reporter.onDetailed(received::add);
            reporter.accept(record(1));

            await().until(() -> !received.isEmpty());
            assertThat(received.peek()).isEqualTo(Set.of("web-01/nginx:80", "[::1]:8080"));
            central.adds("");
            reporter.accept(record(2));

            await().until(() -> received.size() == 2);
            assertThat(received).last().isEqualTo(Set.of());
        }
    }

    @Test
    void accept_fewRecords_areSentBeforeTheBatchIsFull() throws Exception {
        try (Reporter reporter = new Reporter(settings())) {
            reporter.accept(record(1));

            await().until(() -> central.records().size() == 1);
        }
    }

    @Test
    void central_killedAndRestarted_receivesEachRecordOnceAndInOrder() throws Exception {
        try (Reporter reporter = new Reporter(settings())) {
            records(0, 300).forEach(reporter::accept);
            await().until(() -> reporter.status().sentRecords() == 300);
            central.kill();
            records(300, 900).forEach(reporter::accept);
            await().until(() -> reporter.status().spoolBytes() > 0
                    && reporter.status().queuedRecords() == 0
                    && reporter.status().waitingRecords() == 600);
            central.restart();
            records(900, 1000).forEach(reporter::accept);

            await().until(() -> reporter.status().sentRecords() == 1000);
            assertThat(central.records()).containsExactlyElementsOf(records(0, 1000));
            assertThat(reporter.drops()).isEmpty();
            assertThat(spoolFiles()).as("drained segments are deleted").isZero();
            assertThat(reporter.status().lastTrouble()).isNull();
        }
    }

    @Test
    void central_restarted_listenerRunsOnce() throws Exception {
        AtomicInteger notified = new AtomicInteger();
        try (Reporter reporter = new Reporter(exactBatches())) {
            reporter.onCentralRestart(() -> {
                notified.incrementAndGet();
                records(1_000, 1_050).forEach(reporter::accept);
            });
            records(0, 100).forEach(reporter::accept);
            await().until(() -> reporter.status().sentRecords() == 100);
            assertThat(notified).as("the first run has all facts").hasValue(0);
            central.kill();
            central.name("second");
            central.restart();
            records(100, 200).forEach(reporter::accept);

            await().until(() -> reporter.status().sentRecords() == 250);
            assertThat(notified).hasValue(1);
            assertThat(central.records()).hasSize(250).containsAll(records(1_000, 1_050));
        }
    }

    @Test
    void central_withoutRunName_neverCountsAsRestarted() throws Exception {
        AtomicInteger notified = new AtomicInteger();
        try (Reporter reporter = new Reporter(exactBatches())) {
            reporter.onCentralRestart(notified::incrementAndGet);
            records(0, 50).forEach(reporter::accept);
            await().until(() -> reporter.status().sentRecords() == 50);
            central.name(null);
            records(50, 100).forEach(reporter::accept);
            await().until(() -> reporter.status().sentRecords() == 100);
            central.name("first");
            records(100, 150).forEach(reporter::accept);
            await().until(() -> reporter.status().sentRecords() == 150);

            assertThat(notified).hasValue(0);
        }
    }

    @Test
    void firstCentral_afterDrops_countsAsRestarted() throws Exception {
        AtomicInteger notified = new AtomicInteger();
        central.behaviour((request, id) -> id.sequence() == 1 ? Integer.valueOf(400) : null);
        try (Reporter reporter = new Reporter(exactBatches())) {
            reporter.onCentralRestart(notified::incrementAndGet);
            records(0, 100).forEach(reporter::accept);

            await().until(() -> reporter.status().sentRecords() == 50);
            await().until(() -> notified.get() == 1);
        }
    }

    @Test
    void central_storesWithoutResponse_batchIsSentAgainUnderItsName() throws Exception {
        central.dropResponses(true);
        try (Reporter reporter = new Reporter(settings())) {
            records(0, 50).forEach(reporter::accept);
            await().until(() -> central.requests() >= 3);
            central.dropResponses(false);

            await().until(() -> reporter.status().sentRecords() == 50);
            assertThat(central.records()).containsExactlyElementsOf(records(0, 50));
        }
    }

    @Test
    void reporterRestarted_spooledBatchesKeepTheirOldNames() throws Exception {
        central.kill();
        try (Reporter reporter = new Reporter(settings())) {
            records(0, 200).forEach(reporter::accept);
            await().until(() -> reporter.status().spoolBytes() > 0);
        }
        assertThat(spoolFiles()).isPositive();
        central.restart();
        try (Reporter reporter = new Reporter(settings())) {
            records(200, 250).forEach(reporter::accept);

            await().until(() -> central.records().size() == 250);
            assertThat(central.records()).containsExactlyElementsOf(records(0, 250));
            assertThat(central.order().stream().map(BatchId::epoch).distinct()).hasSize(2);
            await().until(() -> spoolFiles() == 0);
        }
    }

    @Test
    void close_centralResponds_sendsTheRest() throws Exception {
        Reporter reporter = new Reporter(exactBatches());
        records(0, 75).forEach(reporter::accept);

        reporter.close();

        assertThat(central.records()).containsExactlyElementsOf(records(0, 75));
        reporter.accept(record(1));
        assertThat(reporter.drops()).containsExactlyEntriesOf(java.util.Map.of("closed", 1L));
    }

    @Test
    void poisonedBatch_isQuarantinedAndTheNextAreSent() throws Exception {
        central.behaviour((request, id) -> id.sequence() == 2 ? Integer.valueOf(400) : null);
        try (Reporter reporter = new Reporter(exactBatches())) {
            for (int i = 0; i < 3; i++) {
                records(i * 50, i * 50 + 50).forEach(reporter::accept);
                int sent = i + 1;
                await().until(() ->
                        reporter.status().sentBatches() + reporter.status().rejectedBatches()
                                == sent);
            }

            assertThat(reporter.drops())
                    .containsExactlyEntriesOf(java.util.Map.of("rejected", 50L));
            List<TelemetryRecord> expected = records(0, 50);
            expected.addAll(records(100, 150));
            assertThat(central.records()).containsExactlyElementsOf(expected);
            try (Stream<Path> files = Files.list(directory.resolve("report/quarantine"))) {
                assertThat(files.map(path -> path.getFileName().toString()))
                        .hasSize(2)
                        .allMatch(name -> name.matches("\\d+-2\\.(batch|txt)"));
            }
        }
    }

    @Test
    void quarantine_isBounded() {
        Quarantine quarantine = new Quarantine(directory.resolve("q"), 2_000);
        for (int i = 0; i < 20; i++) {
            quarantine.store(new OutgoingBatch(new BatchId("s", 1, i), 1, new byte[500]), "400 no");
        }

        long bytes = 0;
        for (java.io.File file : directory.resolve("q").toFile().listFiles()) {
            bytes += file.length();
        }
        assertThat(bytes).isBetween(500L, 2_000L);
    }

    @Test
    void tokenRefused_batchWaitsAndTheNewTokenIsRead() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "old\n");
        central.behaviour((request, id) ->
                central.tokens().getLast().equals("Bearer new") ? null : Integer.valueOf(401));
        ReporterSettings with = settings();
        with = ReporterSettings.of(with.central(), token, with.source(), with.directory())
                .withBatches(50, 64 << 10, Duration.ofMillis(20))
                .withTimeouts(
                        Duration.ofSeconds(5),
                        Duration.ofMillis(20),
                        Duration.ofMillis(50),
                        Duration.ofSeconds(1));
        try (Reporter reporter = new Reporter(with)) {
            records(0, 50).forEach(reporter::accept);
            await().until(() -> reporter.status().refusals() >= 2);
            assertThat(central.records()).isEmpty();
            Files.writeString(token, "new\n");

            await().until(() -> reporter.status().sentRecords() == 50);
            assertThat(reporter.drops()).isEmpty();
        }
    }

    @Test
    void busyCentral_retryAfterIsHonoured() throws Exception {
        central.retryAfter("1");
        central.behaviour((request, id) -> request == 1 ? Integer.valueOf(503) : null);
        try (Reporter reporter = new Reporter(exactBatches())) {
            long startNanos = System.nanoTime();
            records(0, 50).forEach(reporter::accept);

            await().until(() -> reporter.status().sentRecords() == 50);
            assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
                    .isGreaterThan(Duration.ofMillis(990));
            assertThat(central.requests()).isEqualTo(2);
            assertThat(spoolFiles()).as("a busy central service is no outage").isZero();
        }
    }

    @Test
    void otherPageWith200_isNotCountedAsStored() throws Exception {
        central.behaviour((request, id) -> request <= 2 ? Integer.valueOf(200) : null);
        try (Reporter reporter = new Reporter(settings())) {
            records(0, 50).forEach(reporter::accept);

            await().until(() -> reporter.status().sentRecords() == 50);
            assertThat(central.records()).hasSize(50);
        }
    }

    @Test
    void spoolLimit_oldestAreDroppedAndCounted() throws Exception {
        central.kill();
        ReporterSettings small = settings().withLimits(20_000, 64 << 10, 1 << 20, 0);
        int many = 12_000;
        long dropped;
        try (Reporter reporter = new Reporter(small)) {
            for (int i = 0; i < many; i++) {
                reporter.accept(incompressible(i));
            }
            await().until(() -> reporter.status().queuedRecords() == 0
                    && reporter.drops().getOrDefault("spool-full", 0L) > 0
                    && reporter.status().waitingRecords() + reporter.drops().get("spool-full")
                            == many);
            assertThat(reporter.status().spoolBytes()).isLessThanOrEqualTo(1 << 20);
            dropped = reporter.drops().get("spool-full");
        }
        central.restart();
        try (Reporter reporter = new Reporter(small)) {
            await().until(() -> reporter.status().sentRecords() == many - dropped);
            assertThat(central.records().getFirst().atMicros()).isEqualTo(dropped);
            assertThat(central.records().getLast().atMicros()).isEqualTo(many - 1);
        }
    }

    private static TelemetryRecord incompressible(int number) {
        String target = new java.util.Random(number)
                .ints(200, 33, 126)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        Endpoint client = Endpoint.parse("127.0.0.1:1");
        return new ProxyExchange(
                "proxy",
                number,
                client,
                "GET",
                target,
                200,
                CacheOutcome.HIT,
                null,
                1,
                2,
                null,
                3,
                4);
    }

    @Test
    void spoolDiskFull_newestStayInMemoryAndTheSpoolResumes() throws Exception {
        central.kill();
        AtomicBoolean full = new AtomicBoolean(true);
        Spool.Opener opener = path -> {
            if (full.get()) {
                throw new IOException("No space left on device");
            }
            return Spool.create(path);
        };
        try (Reporter reporter =
                new Reporter(settings().withLimits(20_000, 64 << 10, 64 << 20, 0), opener)) {
            for (int i = 0; i < 40_000; i++) {
                reporter.accept(record(i));
                if (i % 10_000 == 0) {
                    await().until(() -> reporter.status().queuedRecords() < 1_000);
                }
            }
            await().until(() -> reporter.status().queuedRecords() == 0
                    && reporter.drops().getOrDefault("spool-failed", 0L) > 0);
            await().until(() ->
                    reporter.status().waitingRecords() + reporter.drops().get("spool-failed")
                            == 40_000);
            full.set(false);
            records(40_000, 40_100).forEach(reporter::accept);
            await().until(() -> reporter.status().spoolBytes() > 0);
            long expected = 40_100 - reporter.drops().get("spool-failed");
            central.restart();

            await().until(() -> reporter.status().sentRecords() == expected);
            assertThat(central.records().getLast()).isEqualTo(record(40_099));
            assertThat(central.records()).doesNotHaveDuplicates();
        }
    }

    @Test
    void tornAndDamagedSegments_goodEntriesStillArrive() throws Exception {
        central.kill();
        try (Reporter reporter = new Reporter(exactBatches())) {
            for (int i = 0; i < 4; i++) {
                records(i * 50, i * 50 + 50).forEach(reporter::accept);
                int records = (i + 1) * 50;
                await().until(() -> reporter.status().waitingRecords() == records
                        && reporter.status().spoolBytes() > 0);
            }
        }
        Path segment = spoolFile();
        byte[] bytes = Files.readAllBytes(segment);
        // Damage the first entry's body; tear the last entry.
        bytes[SpoolSegment.FILE_HEADER + SpoolSegment.ENTRY_HEADER + 60] ^= 1;
        Files.write(segment, java.util.Arrays.copyOf(bytes, bytes.length - 10));
        central.restart();
        try (Reporter reporter = new Reporter(settings())) {
            await().until(() -> reporter.status().waitingRecords() == 0 && spoolFiles() == 0);

            assertThat(central.records()).containsExactlyElementsOf(records(50, 150));
            assertThat(reporter.drops().get("spool-corrupt")).isEqualTo(2);
        }
    }

    @Test
    void otherFileAsSegment_isSkipped() throws Exception {
        Files.createDirectories(directory.resolve("report/spool"));
        Files.writeString(
                directory.resolve("report/spool/0000000000000007.seg"), "not a segment at all");
        try (Reporter reporter = new Reporter(settings())) {
            records(0, 50).forEach(reporter::accept);

            await().until(() -> reporter.status().sentRecords() == 50);
            assertThat(reporter.drops())
                    .containsExactlyEntriesOf(java.util.Map.of("spool-corrupt", 1L));
        }
    }

    @Test
    void queueFull_acceptNeverBlocksAndCounts() throws Exception {
        central.behaviour((request, id) -> 503);
        ReporterSettings tight = settings()
                .withLimits(100, 64 << 10, 0, 0)
                .withTimeouts(
                        Duration.ofSeconds(5),
                        Duration.ofMillis(20),
                        Duration.ofMillis(50),
                        Duration.ZERO);
        Reporter reporter = new Reporter(tight);
        records(0, 200_000).forEach(reporter::accept);
        reporter.close();

        long lost =
                reporter.drops().values().stream().mapToLong(Long::longValue).sum();
        assertThat(lost).isEqualTo(200_000);
        assertThat(reporter.drops()).containsKeys("queue-full", "closed");
    }

    @Test
    void patientSink_queueFull_waitsAndDropsNone() throws Exception {
        ReporterSettings tight = settings().withLimits(100, 4 << 20, 64 << 20, 0);
        try (Reporter reporter = new Reporter(tight)) {
            RecordSink patient = reporter.patient();
            records(0, 50_000).forEach(patient::accept);

            await().until(() -> reporter.status().sentRecords() == 50_000);
            assertThat(reporter.drops()).isEmpty();
        }
    }

    @Test
    void patientSink_queueThatNobodyReads_waitsOnceUntilThereWasRoom() throws Exception {
        BlockingQueue<TelemetryRecord> queue = new ArrayBlockingQueue<>(1);
        List<TelemetryRecord> refused = new ArrayList<>();
        PatientSink sink = new PatientSink(queue, refused::add);
        sink.accept(record(0));
        Thread.currentThread().interrupt();
        // An interrupt ends the wait at once; without one it lasts two seconds.
        sink.accept(record(1));
        assertThat(Thread.interrupted()).isTrue();

        // A thousand waits would last half an hour.
        records(2, 1_001).forEach(sink::accept);
        assertThat(refused).hasSize(1_000);
        queue.take();
        sink.accept(record(2_000));
        assertThat(queue).containsExactly(record(2_000));
    }

    @Test
    void sameDirectoryTwice_isRefusedWithAClearLine() throws Exception {
        try (Reporter reporter = new Reporter(settings())) {
            assertThat(reporter.drops()).isEmpty();
            assertThatThrownBy(() -> new Reporter(settings()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is in use by another process");
        }
        new Reporter(settings()).close();
    }

    @Test
    void settings_manyErrors_areReportedTogether() {
        assertThatThrownBy(() -> ReporterSettings.of(URI.create("ftp://x"), null, " ", directory))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ftp://x (expected: http://HOST:PORT or https://HOST:PORT)");
        assertThatThrownBy(() -> settings().withBatches(0, 1, Duration.ZERO))
                .hasMessage("batch-records: 0 (expected: 1 to 20000)\n"
                        + "batch-bytes: 1 (expected: 1024 to 4194304)\n"
                        + "batch-age: 0 ms (expected: 10 to 60000 ms)");
    }
}
