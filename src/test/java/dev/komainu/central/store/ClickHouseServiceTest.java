package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralApplication;
import dev.komainu.central.CentralClient;
import dev.komainu.central.alert.AlertRule;
import dev.komainu.central.alert.AlertRules;
import dev.komainu.central.alert.Versioned;
import dev.komainu.central.backup.Backups;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.report.Reporter;
import dev.komainu.telemetry.report.ReporterSettings;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import tools.jackson.databind.JsonNode;

/** A complete service with its telemetry on ClickHouse, and a real reporter that sends to it. */
class ClickHouseServiceTest {

    private static final String SERVICE = "shop:80";
    private static final int SECONDS = 60;
    private static final int ROUNDS = 4;
    private static final int CONNECTIONS = 60;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Two hours ago: the console reads such a range from the store. */
    private static final Instant FROM =
            Instant.now().minusSeconds(7_200).truncatedTo(ChronoUnit.MINUTES);

    @TempDir
    static Path data;

    private static ClickHouseServer server;
    private static String database;
    private static ServletWebServerApplicationContext service;
    private static CentralClient admin;

    @BeforeAll
    static void start() throws Exception {
        ClickHouseServer.need();
        server = ClickHouseServer.own();
        database = server.newDatabase();
        service = (ServletWebServerApplicationContext) SpringApplication.run(
                CentralApplication.class,
                "--komainu.data=" + data.resolve("central"),
                "--komainu.bootstrap-tokens=" + data.resolve("tokens"),
                "--komainu.bootstrap-parts=any",
                "--komainu.records.url=" + server.url(database),
                "--komainu.records.user=" + ClickHouseServer.USER,
                "--komainu.records.password-file=" + server.passwordFile(),
                "--server.port=0");
        CentralClient stranger = CentralClient.at(port());
        String oneTime =
                Files.readString(data.resolve("central/first-password")).strip();
        String password = "correct horse battery";
        stranger.login("admin", oneTime)
                .put(
                        "/api/v1/session/password",
                        Map.of("currentPassword", oneTime, "newPassword", password))
                .expect(204);
        admin = stranger.login("admin", password);
    }

    private static int port() {
        return service.getWebServer().getPort();
    }

    @AfterAll
    static void stop() {
        if (service != null) {
            service.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private static long micros(long second) {
        return (FROM.getEpochSecond() + second) * SomeRecords.SECOND;
    }

    private static JsonNode get(String path) {
        return admin.get("/api/v1/services/" + SERVICE + path).expect(200).json();
    }

    private static String range() {
        return "?from=" + FROM + "&to=" + FROM.plusSeconds(SECONDS);
    }

    /** Reports a round: a window each second, and connections with clients of their own. */
    private static void report(Reporter reporter, SomeRecords some, int round) {
        for (int i = round; i < SECONDS; i += ROUNDS) {
            reporter.accept(some.window(SERVICE, micros(i)));
        }
        for (int i = 0; i < CONNECTIONS; i++) {
            int number = round * CONNECTIONS + i;
            reporter.accept(some.connection(SERVICE, 10_000 + number, micros(30) + number));
        }
    }

    private static ServiceSighting sighting() {
        return new ServiceSighting(
                SERVICE,
                "shop",
                "nginx :80",
                "nginx",
                "1.22",
                List.of(),
                new ServiceSighting.ServerProcess(1L, "/usr/sbin/nginx"),
                List.of(),
                System.currentTimeMillis() * 1_000);
    }

    private static String ask(String sql) {
        return server.ask(sql.replace("$", database + ".")).strip();
    }

    @Test
    void telemetryOnClickHouse_killedAndBack_nothingIsLostOrDoubledAndThePagesShowIt()
            throws Exception {
        ReporterSettings settings = ReporterSettings.of(
                        URI.create("http://127.0.0.1:" + port()),
                        data.resolve("tokens/ingest.token"),
                        "agent@shop",
                        data.resolve("agent"))
                .withBatches(40, 64 << 10, Duration.ofMillis(20))
                .withTimeouts(
                        Duration.ofSeconds(20),
                        Duration.ofMillis(20),
                        Duration.ofMillis(200),
                        Duration.ofSeconds(5));
        SomeRecords some = new SomeRecords(3);
        long all = 1 + SECONDS + (long) ROUNDS * CONNECTIONS;
        try (Reporter reporter = new Reporter(settings)) {
            reporter.accept(sighting());
            report(reporter, some, 0);
            Awaitility.await("first round")
                    .atMost(PATIENCE)
                    .until(() -> reporter.status().waitingRecords() == 0
                            && admin.get("/api/v1/services/" + SERVICE).status() == 200);

            server.kill();
            report(reporter, some, 1);
            Awaitility.await("refused")
                    .atMost(PATIENCE)
                    .until(() -> reporter.status().waitingRecords() > CONNECTIONS);
            CentralClient.Answer away =
                    admin.get("/api/v1/services/" + SERVICE + "/connections" + range());
            assertThat(away.expect(503).problem()).isEqualTo("records-away");
            assertThat(away.header("Retry-After")).isEqualTo("5");
            admin.get("/api/v1/overview").expect(200);
            admin.get("/actuator/health").expect(200);
            assertThat(figure("komainu_records_away")).isEqualTo(1);
            assertThat(figure("komainu_records_failures_total")).isPositive();
            server.start();

            report(reporter, some, 2);
            server.kill();
            server.start();
            report(reporter, some, 3);
            Awaitility.await("all rounds")
                    .atMost(PATIENCE)
                    .until(() -> reporter.status().sentRecords() == all);
            assertThat(reporter.drops()).isEmpty();
        }

        assertThat(ask("SELECT sum(records) FROM $batches WHERE source = 'agent@shop' AND NOT"
                        + " ordinal IN (SELECT arrayJoin(range(toUInt64(last - first + 1))) + first"
                        + " FROM $voided WHERE last - first < 1000)"))
                .as("records by the names of batches")
                .isEqualTo(Long.toString(all));
        assertThat(ask("SELECT max(c) FROM (SELECT count() AS c FROM $batches WHERE NOT ordinal IN"
                        + " (SELECT arrayJoin(range(toUInt64(last - first + 1))) + first FROM"
                        + " $voided WHERE last - first < 1000) GROUP BY source, epoch, sequence)"))
                .as("names that count more than once")
                .isEqualTo("1");
        Awaitility.await("measured")
                .atMost(PATIENCE)
                .until(() -> figure("komainu_records_away") == 0
                        && figure("komainu_records_size_bytes") > 1_000);
        assertThat(figure("komainu_records_parts_most")).isPositive();
        checkPages();
        checkBackup();
    }

    @Test
    void serverKilled_theAlertAndThePageSayIt_andBothEndByThemselves() throws Exception {
        AlertRules rules = service.getBean(AlertRules.class);
        Versioned<AlertRule> rule = rules.find("record-server").orElseThrow();
        AlertRule shipped = rule.body();
        assertThat(shipped.threshold()).isEqualTo(60);
        rules.replace(
                        rule.id(),
                        rule.version(),
                        new AlertRule(
                                shipped.name(),
                                shipped.kind(),
                                List.of(),
                                null,
                                1,
                                1,
                                1,
                                4,
                                null,
                                1.0,
                                List.of(),
                                true))
                .orElseThrow();
        Awaitility.await("stores").atMost(PATIENCE).until(() -> condition().equals("storing"));
        JsonNode stores = clickHouse();
        assertThat(stores.get("address").asString()).isEqualTo(server.url(database));
        assertThat(stores.toString()).doesNotContain(ClickHouseServer.PASSWORD);
        assertThat(stores.at("/figures/version").asString()).startsWith("18.16.");
        assertThat(stores.at("/figures/disk").isNull()).isTrue();
        assertThat(stores.at("/logs/setting").asString()).isEqualTo("komainu.records.bound-logs");

        server.kill();
        try {
            Awaitility.await("told").atMost(PATIENCE).until(() -> alerts("firing") == 1);
            assertThat(condition()).isEqualTo("away");
            assertThat(clickHouse().get("since").asString()).isNotBlank();
            assertThat(clickHouse().at("/failures/0/lastText").asString()).isNotBlank();
            long before = alerts("ended");
            server.start();
            Awaitility.await("over")
                    .atMost(PATIENCE)
                    .until(() -> alerts("firing") == 0 && alerts("ended") == before + 1);
            assertThat(condition()).isEqualTo("storing");
        } finally {
            if (!server.isRunning()) {
                server.start();
            }
        }
    }

    private static JsonNode clickHouse() {
        return admin.get("/api/v1/telemetry/server").expect(200).json().get("clickhouse");
    }

    private static String condition() {
        return clickHouse().get("condition").asString();
    }

    private static long alerts(String status) {
        return admin.get("/api/v1/alerts?limit=100&status=" + status)
                .expect(200)
                .json()
                .path("items")
                .valueStream()
                .filter(alert -> alert.path("kind").asString().equals("record-server")
                        && alert.path("subject").asString().equals("connection"))
                .count();
    }

    private static double figure(String metric) {
        return admin.get("/metrics")
                .expect(200)
                .body()
                .lines()
                .filter(line -> line.startsWith(metric + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(metric.length() + 1)))
                .findFirst()
                .orElseThrow();
    }

    private static void checkPages() {
        TreeSet<String> clients = new TreeSet<>();
        String cursor = "";
        int listed = 0;
        do {
            JsonNode page = get("/connections" + range() + "&limit=100" + cursor);
            page.get("items").forEach(item -> clients.add(item.get("client").asString()));
            listed += page.get("items").size();
            cursor = page.get("nextCursor").isNull()
                    ? ""
                    : "&cursor=" + page.get("nextCursor").asString();
        } while (!cursor.isEmpty());
        assertThat(listed).isEqualTo(ROUNDS * CONNECTIONS);
        assertThat(clients).hasSize(ROUNDS * CONNECTIONS);

        JsonNode top = get("/connection-summary" + range() + "&groupBy=target&groups=50");
        assertThat(top.get("groups")).hasSize(20);

        RecordStore store = service.getBean(RecordStore.class);
        TimeRange range = new TimeRange(micros(0), micros(SECONDS));
        List<WindowStep<ServiceWindow>> seconds =
                store.serviceWindows(List.of(SERVICE), range, Duration.ofSeconds(1));
        assertThat(seconds).hasSize(SECONDS);
        List<WindowStep<ServiceWindow>> tens =
                store.serviceWindows(List.of(SERVICE), range, Duration.ofSeconds(10));
        assertThat(sum(tens)).isEqualTo(sum(seconds));
        JsonNode chart = get("/series" + range() + "&stepSeconds=10&index=arrivalPerSecond");
        List<Double> rates = chart.at("/columns/arrivalPerSecond")
                .valueStream()
                .map(JsonNode::asDouble)
                .toList();
        assertThat(rates)
                .hasSize(SECONDS / 10)
                .allSatisfy(rate -> assertThat(rate).isPositive());
    }

    private static long sum(List<WindowStep<ServiceWindow>> steps) {
        return steps.stream()
                .mapToLong(step -> step.total().connections().arrivals())
                .sum();
    }

    /** A backup has no day files, and says where the telemetry is. */
    private static void checkBackup() throws Exception {
        Backups backups = service.getBean(Backups.class);
        var run = backups.start(data.resolve("backup"), null);
        Awaitility.await("backup").atMost(PATIENCE).until(() -> !run.isRunning());
        try (var files = Files.walk(data.resolve("backup"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".duckdb")))
                    .isEmpty();
        }
        try (var files = Files.walk(data.resolve("backup"))) {
            assertThat(files.filter(Files::isRegularFile)
                            .filter(file -> file.toString().endsWith("manifest")))
                    .singleElement()
                    .satisfies(file -> assertThat(file)
                            .content()
                            .contains("the telemetry, which is in ClickHouse"));
        }
    }
}
