package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.central.control.PostgresqlServer;
import dev.komainu.central.store.ClickHouseServer;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.telemetry.identity.CentralAddresses;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two central services with PostgreSQL and ClickHouse under load: the one that judges is killed,
 * and the other one goes on with the records of before; none is lost or stored twice.
 */
class TwoCentresRecordsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int SOURCES = 5;
    /** Connections of each source a tenth of a second. */
    private static final int CONNECTIONS = 10;

    @TempDir
    Path directory;

    private PostgresqlServer control;
    private ClickHouseServer records;
    private String database;
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeEach
    void setUp() {
        assumeTrue(PostgresqlServer.isDebianHere(), "PostgreSQL 15: not installed here");
        ClickHouseServer.need();
        control = PostgresqlServer.debian();
        open.add(control);
        records = ClickHouseServer.own();
        open.add(records);
        database = records.newDatabase();
    }

    @AfterEach
    void tearDown() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private CentreProcess start(String name, String controlDatabase) throws Exception {
        CentreProcess centre = CentreProcess.start(
                directory,
                name,
                control,
                controlDatabase,
                true,
                "--komainu.records.url=" + records.url(database),
                "--komainu.records.user=" + ClickHouseServer.USER,
                "--komainu.records.password-file=" + records.passwordFile());
        open.add(centre);
        return centre;
    }

    /** An agent that reports a service and its connections as long as it is open. */
    private final class Source implements AutoCloseable {

        private final String host;
        private final SomeRecords some;
        private final AtomicLong given = new AtomicLong();
        private final Reporter reporter;
        private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        private int port = 10_000;

        Source(int number, String host, CentralAddresses centres, Path token) throws IOException {
            this.host = host;
            this.some = new SomeRecords(number);
            this.reporter = new Reporter(
                    ReporterSettings.of(centres, token, "agent@" + host, directory.resolve(host))
                            .withBatches(200, 256 << 10, Duration.ofMillis(200))
                            .withTimeouts(
                                    Duration.ofSeconds(20),
                                    Duration.ofMillis(50),
                                    Duration.ofMillis(500),
                                    Duration.ofSeconds(30)));
            report();
            var unused = timer.scheduleAtFixedRate(this::report, 100, 100, TimeUnit.MILLISECONDS);
        }

        private void report() {
            long now = System.currentTimeMillis() * 1_000;
            reporter.accept(new ServiceSighting(
                    host + ":80",
                    host,
                    "nginx :80",
                    "nginx",
                    "1.22",
                    List.of(),
                    new ServiceSighting.ServerProcess(1L, "/usr/sbin/nginx"),
                    List.of(),
                    now));
            for (int i = 0; i < CONNECTIONS; i++) {
                port = port == 60_000 ? 10_000 : port + 1;
                reporter.accept(some.connection(host + ":80", port, now));
            }
            given.addAndGet(1 + CONNECTIONS);
        }

        /** Stops reporting and waits until everything is acknowledged. */
        void finish() throws Exception {
            timer.shutdown();
            assertThat(timer.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
            Awaitility.await(host + " has sent all")
                    .atMost(PATIENCE)
                    .until(() -> reporter.status().sentRecords() == given.get());
            assertThat(reporter.drops()).isEmpty();
        }

        @Override
        public void close() {
            timer.shutdownNow();
            reporter.close();
        }
    }

    private record Pair(String database, CentreProcess one, CentreProcess two) {}

    /** Starts two services, of which the first judges. */
    private Pair startBoth() throws Exception {
        String shared = control.createDatabase(null);
        CentreProcess one = start("one", shared);
        one.awaitJudge(1);
        CentreProcess two = start("two", shared);
        Awaitility.await("the second one waits")
                .atMost(PATIENCE)
                .until(() -> two.says("Another central service judges: "));
        two.awaitAnswers();
        return new Pair(shared, one, two);
    }

    private static URI address(int port) {
        return URI.create("http://127.0.0.1:" + port);
    }

    private Source source(int number, String host, CentralAddresses centres, Path token)
            throws IOException {
        Source source = new Source(number, host, centres, token);
        open.add(source);
        return source;
    }

    private static void awaitKnown(CentralClient admin) {
        Awaitility.await("all are known")
                .atMost(PATIENCE)
                .until(() -> admin.get("/api/v1/services")
                                .expect(200)
                                .json()
                                .at("/items")
                                .size()
                        == SOURCES);
    }

    /** Finishes all sources, and compares what they gave with what counts in the store. */
    private void assertEachIsStoredOnce(List<Source> sources) throws Exception {
        long given = 0;
        for (Source source : sources) {
            source.finish();
            given += source.given.get();
        }
        String valid = " WHERE NOT ordinal IN (SELECT arrayJoin(range(toUInt64(last - first + 1)))"
                + " + first FROM $voided WHERE last - first < 1000)";
        assertThat(ask("SELECT sum(records) FROM $batches" + valid
                        + " AND source LIKE 'agent@host-%'"))
                .as("records by the names of batches")
                .isEqualTo(Long.toString(given));
        assertThat(ask("SELECT max(c) FROM (SELECT count() AS c FROM $batches" + valid
                        + " GROUP BY source, epoch, sequence)"))
                .as("names that count more than once")
                .isEqualTo("1");
        assertThat(given).isGreaterThan(SOURCES * 500L);
    }

    @Test
    void judgeIsKilledUnderLoad_otherOneGoesOn_noRecordIsLostOrStoredTwice() throws Exception {
        Pair both = startBoth();
        CentreProcess one = both.one();
        CentreProcess two = both.two();
        CentralClient admin = one.administrator();
        CentralAddresses other = CentralAddresses.of(address(two.port()));
        List<Source> sources = new ArrayList<>();
        for (int i = 0; i < SOURCES; i++) {
            sources.add(source(i, "host-" + i, other, one.ingestToken()));
        }
        awaitKnown(admin);
        String from = Instant.now().minusSeconds(3_600).toString();
        Awaitility.await("stored").atMost(PATIENCE).until(() -> connections(admin, from) > 0);

        one.close();
        long killed = System.nanoTime();
        two.awaitJudge(2);
        System.out.println("Judged again after "
                + Duration.ofNanos(System.nanoTime() - killed).toMillis() + " ms");
        CentralClient there = two.login();
        Awaitility.await("the fleet is judged again")
                .atMost(PATIENCE)
                .until(() -> there.get("/api/v1/services/host-0:80").status() == 200);
        assertThat(connections(there, from)).as("records of before").isPositive();
        start("one", both.database()).awaitAnswers();
        assertEachIsStoredOnce(sources);
    }

    /** Returns a name whose source begins at an address. */
    private static String hostOf(int number, CentralAddresses centres, URI first) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> "host-" + number + "-" + i)
                .filter(host -> centres.preferredBy("agent@" + host).getFirst().equals(first))
                .findFirst()
                .orElseThrow();
    }

    /**
     * The judge is reached by a relay that loses its responses from some moment on: it has stored
     * what is sent again by way of the other one. Then it is killed.
     */
    @Test
    void sourcesKnowBothAddresses_responsesAreLost_judgeIsKilled_eachRecordIsStoredOnce()
            throws Exception {
        Pair both = startBoth();
        CentreProcess one = both.one();
        CentreProcess two = both.two();
        CentralClient admin = one.administrator();
        AtomicBoolean loses = new AtomicBoolean();
        AtomicLong lost = new AtomicLong();
        BreakingRelay relay = new BreakingRelay(one.port(), () -> {
            if (loses.get()) {
                lost.incrementAndGet();
            }
            return loses.get();
        });
        open.add(relay);
        URI first = address(relay.port());
        URI second = address(two.port());
        CentralAddresses centres = CentralAddresses.parse(first + "," + second);
        List<Source> sources = new ArrayList<>();
        for (int i = 0; i < SOURCES; i++) {
            String host = hostOf(i, centres, i % 2 == 0 ? first : second);
            sources.add(source(i, host, centres, one.ingestToken()));
        }
        awaitKnown(admin);
        for (int i = 0; i < SOURCES; i++) {
            assertThat(sources.get(i).reporter.status().central())
                    .isEqualTo((i % 2 == 0 ? first : second).toString());
        }

        loses.set(true);
        Awaitility.await("all use the second address")
                .atMost(PATIENCE)
                .until(() -> sources.stream()
                        .allMatch(each -> each.reporter.status().central().equals(second.toString())
                                && each.reporter.status().lastTrouble() == null));
        assertThat(lost).as("responses that were lost").hasPositiveValue();
        loses.set(false);

        one.close();
        long killed = System.nanoTime();
        two.awaitJudge(2);
        System.out.println("Judged again after "
                + Duration.ofNanos(System.nanoTime() - killed).toMillis() + " ms");
        long before = sources.stream()
                .mapToLong(each -> each.reporter.status().sentRecords())
                .sum();
        Awaitility.await("records arrive again")
                .atMost(PATIENCE)
                .until(() -> sources.stream()
                                .mapToLong(each -> each.reporter.status().sentRecords())
                                .sum()
                        > before + SOURCES * 100);
        assertEachIsStoredOnce(sources);
    }

    private static int connections(CentralClient client, String from) {
        return client.get("/api/v1/services/host-0:80/connections?limit=10&from=" + from)
                .expect(200)
                .json()
                .at("/items")
                .size();
    }

    private String ask(String sql) {
        return records.ask(sql.replace("$", database + ".")).strip();
    }
}
