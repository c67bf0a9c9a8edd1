package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.central.control.PostgresqlServer;
import dev.komainu.central.indices.Told;
import dev.komainu.central.store.ClickHouseServer;
import dev.komainu.central.store.ClickHouseTestCluster;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.telemetry.identity.CentralAddresses;
import dev.komainu.telemetry.kit.Nightly;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Two central services, PostgreSQL, ClickHouse with two shards and two replicas, and ZooKeeper,
 * under the load of a fleet: one process of each kind is killed, or hangs, and stays away for a
 * time. Every record must be stored once, and no server may be named for it. What each outage cost
 * is printed.
 */
@Tag(Nightly.TAG)
class EachKindFailsTest {

    private static final int SOURCES = Integer.getInteger("faults.sources", 100);
    private static final int RECORDS_PER_SECOND = Integer.getInteger("faults.rate", 5_000);
    private static final int AWAY_SECONDS = Integer.getInteger("faults.away", 90);
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final int TICKS = 10;
    /** Otherwise the processes are killed. */
    private static final boolean HANG = Boolean.getBoolean("faults.hang");

    @TempDir
    Path directory;

    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(4);
    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();
    private final List<Source> sources = new ArrayList<>();
    private final CentreProcess[] centres = new CentreProcess[2];
    private final boolean[] supervised = {true, true};
    private PostgresqlServer control;
    private ClickHouseTestCluster records;
    private String shared;
    private String database;
    private Watch watch;

    @BeforeEach
    void setUp() {
        assumeTrue(PostgresqlServer.isDebianHere(), "PostgreSQL 15: not installed here");
        ClickHouseServer.need();
        control = PostgresqlServer.debian();
        open.add(control);
        records = ClickHouseTestCluster.own();
        open.add(records);
        database = records.newDatabase();
    }

    @AfterEach
    void tearDown() throws Exception {
        timer.shutdownNow();
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private void start(int number) {
        try {
            CentreProcess centre = CentreProcess.start(
                    directory,
                    "centre" + number,
                    control,
                    shared,
                    true,
                    "--komainu.records.url=" + records.url(database),
                    "--komainu.records.cluster=" + ClickHouseTestCluster.NAME,
                    "--komainu.records.user=" + ClickHouseServer.USER,
                    "--komainu.records.password-file=" + records.server(0, 0).passwordFile());
            centres[number] = centre;
            open.add(centre);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** An agent of one host with one server, which answers as usual. */
    private final class Source implements AutoCloseable {

        private final String host;
        private final SomeRecords some;
        private final AtomicLong given = new AtomicLong();
        private final Reporter reporter;
        private final int connections = RECORDS_PER_SECOND / SOURCES / TICKS;
        private long second;
        private int port = 10_000;

        Source(int number, CentralAddresses addresses, Path token) throws IOException {
            host = "host-" + number;
            some = new SomeRecords(number);
            reporter = new Reporter(ReporterSettings.of(
                    addresses, token, "agent@" + host, directory.resolve(host)));
        }

        private void tick() {
            long now = System.currentTimeMillis();
            if (now / 1_000 != second) {
                second = now / 1_000;
                give(new ServiceSighting(
                        host + ":80",
                        host,
                        "nginx :80",
                        "nginx",
                        "1.22",
                        List.of(),
                        new ServiceSighting.ServerProcess(1L, "/usr/sbin/nginx"),
                        List.of(),
                        now * 1_000));
                give(Told.packets(host + ":80", second - 1, Map.of("rps", 50.0, "ms", 5.0)));
            }
            for (int i = 0; i < connections; i++) {
                port = port == 60_000 ? 10_000 : port + 1;
                give(some.connection(host + ":80", port, now * 1_000));
            }
        }

        private void give(TelemetryRecord record) {
            reporter.accept(record);
            given.incrementAndGet();
        }

        long waiting() {
            return given.get() - reporter.status().sentRecords();
        }

        @Override
        public void close() {
            reporter.close();
        }
    }

    /** The list of servers, read four times a second from the first service that responds. */
    private final class Watch implements Runnable {

        private final CentralClient[] clients = new CentralClient[2];
        private final Set<String> named = new TreeSet<>();
        private long answered = System.nanoTime();
        private long longestSilence;
        private long oldestMillis;

        void begin() {
            answered = System.nanoTime();
            longestSilence = 0;
            oldestMillis = 0;
        }

        @Override
        public synchronized void run() {
            for (CentralClient each : clients) {
                try {
                    CentralClient.Answer answer = each.get("/api/v1/services?limit=200");
                    if (answer.status() == 200) {
                        look(answer.json().at("/items"));
                        long now = System.nanoTime();
                        longestSilence = Math.max(longestSilence, now - answered);
                        answered = now;
                        return;
                    }
                } catch (RuntimeException e) {
                    // It is away, or on its way.
                }
            }
        }

        private void look(JsonNode services) {
            for (JsonNode each : services) {
                String state = each.at("/state").asString();
                if (!state.equals("normal") && !state.equals("unknown")) {
                    named.add(each.at("/id").asString() + " " + state);
                }
                String seen = each.at("/lastSeen").asString("");
                if (!seen.isEmpty()) {
                    oldestMillis = Math.max(
                            oldestMillis,
                            Duration.between(Instant.parse(seen), Instant.now()).toMillis());
                }
            }
        }

        synchronized String told() {
            return String.format(
                    Locale.ROOT,
                    "console silent for %.1f s at most, oldest newest second %.1f s",
                    Math.max(longestSilence, System.nanoTime() - answered) / 1e9,
                    oldestMillis / 1e3);
        }
    }

    private void awaitCaughtUp(String what) {
        Awaitility.await(what + ": all sources have sent nearly all")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> sources.stream().mapToLong(Source::waiting).sum()
                        < 2L * RECORDS_PER_SECOND);
    }

    private static void pause(int seconds) {
        long until = System.nanoTime() + seconds * 1_000_000_000L;
        Awaitility.await()
                .atMost(Duration.ofSeconds(seconds + 60L))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> System.nanoTime() >= until);
    }

    private void fail(String what, Runnable kill, Runnable again) {
        synchronized (watch) {
            watch.begin();
        }
        kill.run();
        pause(AWAY_SECONDS);
        long waiting = sources.stream().mapToLong(Source::waiting).sum();
        again.run();
        long begun = System.nanoTime();
        awaitCaughtUp(what);
        System.out.println(what + " away for " + AWAY_SECONDS + " s: " + watch.told() + ", "
                + waiting + " records waited, sent after "
                + (System.nanoTime() - begun) / 1_000_000_000L + " s");
        pause(10);
    }

    private static Runnable away(ClickHouseServer server) {
        return HANG ? server::freeze : server::kill;
    }

    private static Runnable again(ClickHouseServer server) {
        return HANG ? server::thaw : server::start;
    }

    private synchronized void away(int number) {
        supervised[number] = HANG;
        if (HANG) {
            centres[number].freeze();
        } else {
            centres[number].close();
        }
    }

    private synchronized void again(int number) {
        if (HANG) {
            centres[number].thaw();
        }
        supervised[number] = true;
    }

    /** Starts a service again that has ended by itself, as a supervisor does. */
    private synchronized void supervise() {
        for (int i = 0; i < centres.length; i++) {
            CentreProcess now = supervised[i] ? centres[i].again() : centres[i];
            if (now != centres[i]) {
                System.out.println(now.name() + " was started again");
                centres[i] = now;
                open.add(now);
            }
        }
    }

    private synchronized int judge() {
        return centres[0].epoch() > centres[1].epoch() ? 0 : 1;
    }

    @Test
    void processOfEachKindKilled_eachRecordIsStoredOnceAndNoServerIsNamed() throws Exception {
        shared = control.createDatabase(null);
        start(0);
        centres[0].awaitJudge(1);
        start(1);
        centres[1].awaitAnswers();
        watch = new Watch();
        watch.clients[0] = centres[0].administrator();
        watch.clients[1] = centres[1].login();
        CentralAddresses addresses = CentralAddresses.parse(
                "http://127.0.0.1:" + centres[0].port() + ",http://127.0.0.1:" + centres[1].port());
        for (int i = 0; i < SOURCES; i++) {
            Source source = new Source(i, addresses, centres[0].ingestToken());
            open.add(source);
            sources.add(source);
            var unused = timer.scheduleAtFixedRate(
                    source::tick, i * 10L % 1_000, 1_000 / TICKS, TimeUnit.MILLISECONDS);
        }
        var unused = timer.scheduleWithFixedDelay(watch, 0, 250, TimeUnit.MILLISECONDS);
        var others = timer.scheduleWithFixedDelay(this::supervise, 1, 1, TimeUnit.SECONDS);
        Instant began = Instant.now();
        pause(30);
        awaitCaughtUp("start");

        ClickHouseServer asked = records.server(0, 0);
        ClickHouseServer replica = records.server(1, 0);
        fail("server of ClickHouse that is asked", away(asked), again(asked));
        fail("replica of the other shard", away(replica), again(replica));
        int judge = judge();
        fail("judge", () -> away(judge), () -> again(judge));
        int other = 1 - judge();
        fail("service that waits", () -> away(other), () -> again(other));
        fail(
                "ZooKeeper",
                HANG ? records::freezeZooKeeper : records::killZooKeeper,
                HANG ? records::thawZooKeeper : records::startZooKeeper);
        fail(
                "PostgreSQL",
                HANG ? control::freeze : control::kill,
                HANG ? control::thaw : control::start);

        timer.shutdown();
        assertThat(timer.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        long given = 0;
        for (Source source : sources) {
            Awaitility.await(source.host + " has sent all")
                    .atMost(PATIENCE)
                    .until(() -> source.waiting() == 0);
            assertThat(source.reporter.drops()).isEmpty();
            given += source.given.get();
        }
        String valid = " WHERE NOT ordinal IN (SELECT arrayJoin(range(toUInt64(last - first + 1)))"
                + " + first FROM $voided WHERE last - first < 1000)";
        System.out.println(given + " records given, in "
                + Duration.between(began, Instant.now()).toSeconds() + " s");
        assertThat(ask("SELECT sum(records) FROM $batches" + valid
                        + " AND source LIKE 'agent@host-%'"))
                .as("records by the names of batches")
                .isEqualTo(Long.toString(given));
        assertThat(ask("SELECT max(c) FROM (SELECT count() AS c FROM $batches" + valid
                        + " GROUP BY source, epoch, sequence)"))
                .as("names that count more than once")
                .isEqualTo("1");
        assertThat(watch.named).as("servers that were named").isEmpty();
        alerts();
    }

    /** Prints the alerts. */
    private void alerts() {
        for (String status : List.of("firing", "ended")) {
            for (JsonNode each : centres[judge()]
                    .login()
                    .get("/api/v1/alerts?status=" + status)
                    .expect(200)
                    .json()
                    .at("/items")) {
                System.out.println("alert " + status + ": " + each.at("/kind").asString() + " "
                        + each.at("/subject").asString() + " "
                        + each.at("/state").asString() + " "
                        + each.at("/firedAt").asString());
            }
        }
    }

    private String ask(String sql) {
        return records.server(0, 0).ask(sql.replace("$", database + ".")).strip();
    }
}
