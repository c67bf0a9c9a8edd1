package dev.komainu.telemetry.report;

import static dev.komainu.telemetry.report.NumberedExchange.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.telemetry.identity.CentralAddresses;
import dev.komainu.telemetry.identity.CentralRoute;
import dev.komainu.telemetry.kit.EnrollingCentre;
import dev.komainu.telemetry.kit.TestAuthority;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reporter with the addresses of two central services, which are real HTTP servers. */
class SeveralAddressesTest {

    private static final String SOURCE = "proxy@test";
    private static final Duration LIMIT = Duration.ofSeconds(120);

    @TempDir
    Path directory;

    private CentralAddresses addresses;
    /** The one that this source prefers. */
    private StubCentralService first;
    /** The other one, which stores at the same place. */
    private StubCentralService second;

    private final AtomicLong nanos = new AtomicLong();
    private final CountDownLatch held = new CountDownLatch(1);

    @BeforeEach
    void setUp() throws IOException {
        StubCentralService one = new StubCentralService();
        StubCentralService other = StubCentralService.beside(one);
        addresses = CentralAddresses.parse(one.uri() + " " + other.uri());
        boolean isOneFirst = addresses.preferredBy(SOURCE).getFirst().equals(one.uri());
        first = isOneFirst ? one : other;
        second = isOneFirst ? other : one;
    }

    @AfterEach
    void tearDown() {
        held.countDown();
        first.close();
        second.close();
    }

    /** Each record is a batch of its own. */
    private ReporterSettings settings() {
        return ReporterSettings.of(addresses, null, SOURCE, directory.resolve("report"))
                .withBatches(1, 64 << 10, Duration.ofMillis(20))
                .withTimeouts(
                        Duration.ofSeconds(60),
                        Duration.ofMillis(20),
                        Duration.ofMillis(100),
                        Duration.ofSeconds(5));
    }

    private Reporter reporter(ReporterSettings settings) throws IOException {
        return new Reporter(
                settings, new CentralRoute(addresses, SOURCE, nanos::get, new SplittableRandom(1)));
    }

    private static List<TelemetryRecord> records(int count) {
        return IntStream.range(0, count)
                .<TelemetryRecord>mapToObj(NumberedExchange::record)
                .toList();
    }

    private static void awaitSent(Reporter reporter, int count) {
        await().atMost(LIMIT).until(() -> reporter.status().sentRecords() == count);
    }

    /** Does not answer before the end of the test. */
    private Integer hold() {
        try {
            held.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    @Test
    void bothAnswer_firstGetsEverything() throws Exception {
        try (Reporter reporter = reporter(settings())) {
            records(20).forEach(reporter::accept);
            awaitSent(reporter, 20);
            assertThat(second.requests()).isZero();
            assertThat(reporter.status().central()).isEqualTo(first.uri().toString());
            assertThat(reporter.status().centralChanges()).isZero();
        }
    }

    @Test
    void firstIsDown_secondGetsEverythingInOrder_andTheFirstIsAskedOnce() throws Exception {
        first.kill();
        try (Reporter reporter = reporter(settings())) {
            records(50).forEach(reporter::accept);
            awaitSent(reporter, 50);
            assertThat(second.records()).containsExactlyElementsOf(records(50));
            ReporterStatus status = reporter.status();
            assertThat(status.failures()).isOne();
            assertThat(status.central()).isEqualTo(second.uri().toString());
            assertThat(status.centralChanges()).isOne();
            assertThat(status.lastTrouble()).isNull();
            assertThat(reporter.drops()).isEmpty();
        }
    }

    @Test
    void firstSays503_secondIsAskedAtOnce() throws Exception {
        first.behaviour((request, id) -> 503);
        first.retryAfter("300");
        try (Reporter reporter = reporter(settings())) {
            records(20).forEach(reporter::accept);
            awaitSent(reporter, 20);
            assertThat(first.requests()).isOne();
        }
    }

    @Test
    void firstSays429_secondIsNotAsked() throws Exception {
        first.behaviour((request, id) -> request <= 3 ? 429 : null);
        try (Reporter reporter = reporter(settings())) {
            reporter.accept(record(0));
            awaitSent(reporter, 1);
            assertThat(first.requests()).isEqualTo(4);
            assertThat(second.requests()).isZero();
        }
    }

    @Test
    void retryAfter_holdsForItsAddress_whileTheOtherIsAskedAgain() throws Exception {
        List<Long> asked = new CopyOnWriteArrayList<>();
        first.behaviour((request, id) -> {
            asked.add(System.nanoTime());
            return request <= 2 ? 503 : null;
        });
        first.retryAfter("1");
        second.behaviour((request, id) -> 503);
        try (Reporter reporter = new Reporter(settings())) {
            reporter.accept(record(0));
            awaitSent(reporter, 1);
            assertThat(asked).hasSize(3);
            for (int i = 1; i < asked.size(); i++) {
                assertThat(asked.get(i) - asked.get(i - 1))
                        .isGreaterThanOrEqualTo(Duration.ofSeconds(1).toNanos());
            }
            // It asked for no wait; the pauses of a reporter hold: two seconds of 50 to 100 ms.
            assertThat(second.requests()).isBetween(4, 60);
            assertThat(reporter.status().centralChanges()).isZero();
        }
    }

    @Test
    void bothAreDown_reasonsOfBothAreTold_andRecordsArriveLater() throws Exception {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        PrintStream before = System.err;
        first.kill();
        second.kill();
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        try (Reporter reporter = reporter(settings())) {
            reporter.accept(record(0));
            await().atMost(LIMIT).until(() -> reporter.status().failures() >= 4);
            assertThat(reporter.status().lastTrouble())
                    .matches("\\Q" + first.uri() + "\\E: [^;]*Connection refused; \\Q"
                            + second.uri() + "\\E: [^;]*Connection refused");
            assertThat(told.toString(StandardCharsets.UTF_8))
                    .contains("Central service: " + first.uri() + ", the first of [" + first.uri()
                            + ", " + second.uri() + "]")
                    .containsOnlyOnce("cannot be reached; records are kept: " + first.uri()
                            + ": java.net.ConnectException: Connection refused; " + second.uri()
                            + ": java.net.ConnectException: Connection refused");
            second.restart();
            awaitSent(reporter, 1);
            assertThat(reporter.status().lastTrouble()).isNull();
            assertThat(told.toString(StandardCharsets.UTF_8))
                    .contains(second.uri() + " is used in place of " + first.uri() + ". "
                            + first.uri() + ": java.net.ConnectException");
        } finally {
            System.setErr(before);
        }
    }

    @Test
    void firstIsSlow_batchGoesToTheSecond_andIsStoredOnce() throws Exception {
        first.behaviour((request, id) -> hold());
        ReporterSettings impatient = settings()
                .withTimeouts(
                        Duration.ofMillis(500),
                        Duration.ofMillis(20),
                        Duration.ofMillis(100),
                        Duration.ofSeconds(5));
        try (Reporter reporter = reporter(impatient)) {
            records(5).forEach(reporter::accept);
            awaitSent(reporter, 5);
            assertThat(second.records()).containsExactlyElementsOf(records(5));
            // Now the first one stores what it was sent, too.
            held.countDown();
            first.behaviour((request, id) -> null);
            nanos.addAndGet(Duration.ofMinutes(6).toNanos());
            reporter.accept(record(5));
            awaitSent(reporter, 6);
            assertThat(first.records()).containsExactlyElementsOf(records(6));
        }
    }

    @Test
    void responseOfTheFirstIsLost_batchGoesToTheSecond_andIsStoredOnce() throws Exception {
        first.dropResponses(true);
        try (Reporter reporter = reporter(settings())) {
            records(20).forEach(reporter::accept);
            awaitSent(reporter, 20);
            assertThat(first.requests()).isPositive();
            assertThat(first.records()).containsExactlyElementsOf(records(20));
        }
    }

    @Test
    void firstAnswersAgain_isUsedAgainAfterFiveMinutes() throws Exception {
        first.kill();
        try (Reporter reporter = reporter(settings())) {
            reporter.accept(record(0));
            awaitSent(reporter, 1);
            first.restart();
            nanos.addAndGet(Duration.ofMinutes(5).toNanos() - 1);
            reporter.accept(record(1));
            awaitSent(reporter, 2);
            assertThat(first.requests()).isZero();

            nanos.addAndGet(Duration.ofMinutes(1).toNanos());
            records(20).forEach(reporter::accept);
            awaitSent(reporter, 22);
            assertThat(first.requests()).isEqualTo(20);
            assertThat(reporter.status().central()).isEqualTo(first.uri().toString());
            assertThat(reporter.status().centralChanges()).isEqualTo(2);
        }
    }

    @Test
    void firstOnlyAccepts_returnFails_withoutALongWaitOfTheBatch() throws Exception {
        first.kill();
        try (Reporter reporter = reporter(settings())) {
            reporter.accept(record(0));
            awaitSent(reporter, 1);
            first.restart();
            first.behaviour((request, id) -> hold());
            nanos.addAndGet(Duration.ofMinutes(6).toNanos());
            reporter.accept(record(1));
            // A request may last 60 s.
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> reporter.status().sentRecords() == 2);
            assertThat(first.requests()).isPositive();
            assertThat(reporter.status().central()).isEqualTo(second.uri().toString());
            assertThat(reporter.status().lastTrouble()).isNull();
        }
    }

    @Test
    void oneHasAForeignCertificate_getsNothing_andTheOtherEverything() throws Exception {
        TestAuthority authority = new TestAuthority("Komainu authority");
        Path file = Files.writeString(
                directory.resolve("authority.pem"),
                TestAuthority.pem(List.of(authority.certificate())));
        Path token = Files.writeString(directory.resolve("token"), "kmn_token\n");
        try (EnrollingCentre own = new EnrollingCentre(authority, Clock.systemUTC());
                EnrollingCentre foreign =
                        new EnrollingCentre(new TestAuthority("other"), Clock.systemUTC())) {
            CentralAddresses both = CentralAddresses.parse(own.uri() + "," + foreign.uri());
            String source = IntStream.range(0, 1_000)
                    .mapToObj(i -> "agent@web-" + i)
                    .filter(each -> both.preferredBy(each).getFirst().equals(foreign.uri()))
                    .findFirst()
                    .orElseThrow();
            ReporterSettings trusting = ReporterSettings.of(
                            both, token, source, directory.resolve("report"))
                    .withAuthorities(file)
                    .withBatches(1, 64 << 10, Duration.ofMillis(20));
            try (Reporter reporter = new Reporter(trusting)) {
                records(5).forEach(reporter::accept);
                awaitSent(reporter, 5);
                assertThat(reporter.status().central()).isEqualTo(own.uri().toString());
            }
            assertThat(foreign.requests("/api/v1/ingest")).isEmpty();
            assertThat(own.requests("/api/v1/ingest")).hasSize(5);

            own.stop();
            try (Reporter reporter = new Reporter(trusting)) {
                reporter.accept(record(6));
                await().atMost(LIMIT).until(() -> reporter.status().failures() >= 2);
                assertThat(reporter.status().lastTrouble())
                        .contains(foreign.uri() + ": ", "of no trusted authority")
                        .contains(own.uri() + ": java.net.ConnectException");
            }
        }
    }
}
