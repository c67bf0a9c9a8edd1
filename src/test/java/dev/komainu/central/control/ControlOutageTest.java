package dev.komainu.central.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpServer;
import dev.komainu.central.CentralApplication;
import dev.komainu.central.CentralClient;
import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.Scope;
import dev.komainu.central.alert.AlertKeeper;
import dev.komainu.central.alert.AlertKind;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.telemetry.kit.Nightly;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/**
 * A complete service whose PostgreSQL server hangs, crashes, is shut down, or accepts no writes:
 * ingest goes on, the REST interface names the reason, and afterwards everything is stored, and
 * each alert was told once.
 */
class ControlOutageTest {

    private static final String PASSWORD = "correct horse battery";

    /** Longest time of a request that was in progress when the server froze, and of a new login. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private static Path data;

    private static PostgresqlServer server;
    private static String database;
    private static ServletWebServerApplicationContext service;
    private static HttpServer hook;
    private static final List<String> told = new CopyOnWriteArrayList<>();
    private static CentralClient admin;
    private static CentralClient agent;
    private static int batches;

    /** Listeners of assessments that failed: pages that were not updated. */
    private static final ListAppender<ILoggingEvent> failures = new ListAppender<>();
    /** Seconds in which everything that is read from the database at a pace is read. */
    private static final int PACE_SECONDS = 6;

    enum Misfortune {
        FROZEN(PostgresqlServer::freeze, PostgresqlServer::thaw),
        KILLED(PostgresqlServer::kill, PostgresqlServer::start),
        SHUT_DOWN(PostgresqlServer::stop, PostgresqlServer::start),
        READ_ONLY(each -> readOnly(each, true), each -> readOnly(each, false));

        private final Consumer<PostgresqlServer> begin;
        private final Consumer<PostgresqlServer> end;

        Misfortune(Consumer<PostgresqlServer> begin, Consumer<PostgresqlServer> end) {
            this.begin = begin;
            this.end = end;
        }

        /** Reports whether the server still answers questions. */
        private boolean reads() {
            return this == READ_ONLY;
        }

        /** Makes new transactions read only, in connections of the present, too. */
        private static void readOnly(PostgresqlServer on, boolean isOn) {
            on.execute("alter system set default_transaction_read_only = " + isOn);
            on.execute("select pg_reload_conf()");
        }
    }

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(PostgresqlServer.isDebianHere(), "PostgreSQL 15: not installed here");
        server = PostgresqlServer.debian();
        database = server.createDatabase(null);
        service = (ServletWebServerApplicationContext) SpringApplication.run(
                CentralApplication.class,
                "--komainu.data=" + data.resolve("central"),
                "--komainu.bootstrap-tokens=" + data.resolve("tokens"),
                "--komainu.bootstrap-parts=any",
                "--komainu.alerts.allow=127.0.0.1",
                "--komainu.control.url=" + server.url(database),
                "--komainu.control.user=" + PostgresqlServer.USER,
                "--komainu.control.password-file=" + server.passwordFile(),
                "--server.port=0");
        hook = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        hook.createContext("/", exchange -> {
            told.add(JsonMapper.shared()
                    .readTree(exchange.getRequestBody().readAllBytes())
                    .at("/commonLabels/token")
                    .asString());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        hook.start();
        CentralClient stranger = CentralClient.at(service.getWebServer().getPort());
        String oneTime =
                Files.readString(data.resolve("central/first-password")).strip();
        stranger.login("admin", oneTime)
                .put(
                        "/api/v1/session/password",
                        Map.of("currentPassword", oneTime, "newPassword", PASSWORD))
                .expect(204);
        admin = stranger.login("admin", PASSWORD);
        admin.post(
                        "/api/v1/receivers",
                        Map.of(
                                "name",
                                "hook",
                                "type",
                                "webhook",
                                "url",
                                "http://127.0.0.1:" + hook.getAddress().getPort() + "/",
                                "secret",
                                "sixteen-characters"))
                .expect(201);
        agent = stranger.withToken(
                        Files.readString(data.resolve("tokens/ingest.token")).strip())
                .withHeader("Content-Type", "application/x-ndjson");
        failures.list = new CopyOnWriteArrayList<>();
        failures.start();
        ((Logger) LoggerFactory.getLogger(Assessor.class)).addAppender(failures);
    }

    /** Creates a token of a user of an OpenID provider who logged in some days ago. */
    private static CentralClient external(String user, int daysAgo) {
        stored().sql(
                        "insert into users (name, role, must_change_password, last_login,"
                                + " external_issuer, external_subject) values (?, 'viewer', false, ?, 'https://a', ?)")
                .params(user, OffsetDateTime.now(ZoneOffset.UTC).minusDays(daysAgo), user)
                .update();
        String secret = service.getBean(ApiTokens.class)
                .create(user, List.of(Scope.METRICS_READ), Duration.ofDays(365), user)
                .secret();
        return CentralClient.at(service.getWebServer().getPort()).withToken(secret);
    }

    private static Instant instant(CentralClient.Answer fleet) {
        return Instant.parse(fleet.expect(200).json().at("/at").asString());
    }

    private static List<String> recent(String path) {
        return admin.get(path)
                .expect(200)
                .json()
                .path("recent")
                .valueStream()
                .map(each -> each.at("/text/en").asString())
                .toList();
    }

    /** Checks that the overview goes on, without the events that cannot be read. */
    private static void checkOverview(Misfortune misfortune, String change) {
        Instant begun = instant(admin.get("/api/v1/overview/rows"));
        Awaitility.await("the fleet goes on")
                .atMost(PATIENCE)
                .until(() -> instant(admin.get("/api/v1/overview/rows"))
                        .isAfter(begun.plusSeconds(PACE_SECONDS)));
        assertThat(recent("/api/v1/overview/rows"))
                .as("the last that were read")
                .contains(change);
        CentralClient.Answer overview = admin.get("/api/v1/overview");
        assertThat(instant(overview)).isAfter(begun);
        assertThat(overview.json().has("recent")).isEqualTo(misfortune.reads());
        assertThat(overview.json().at("/counts").isObject()).isTrue();
        assertThat(failures.list).extracting(ILoggingEvent::getFormattedMessage).isEmpty();
    }

    @AfterAll
    static void stop() {
        if (service != null) {
            service.close();
            hook.stop(0);
        }
        if (server != null) {
            server.close();
        }
    }

    private static CentralClient.Answer ingest(String name) {
        String line = """
                {"type":"serviceSighting","service":"%1$s:80","node":"%1$s","name":"nginx :80","kind":"nginx","addresses":[],"settings":[],"atMicros":%2$d}
                """.replace("%1$s", name)
                .replace("%2$d", Long.toString(System.currentTimeMillis() * 1_000));
        return agent.withHeader("Komainu-Batch", "agent@" + name + "/7/" + ++batches)
                .post("/api/v1/ingest", line);
    }

    private static JdbcClient stored() {
        return JdbcClient.create(service.getBean(DataSource.class));
    }

    /** Those that time out and those that fail at once; each takes half a minute. */
    private static List<Misfortune> misfortunes() {
        return Nightly.isOn()
                ? List.of(Misfortune.values())
                : List.of(Misfortune.FROZEN, Misfortune.KILLED);
    }

    @ParameterizedTest
    @MethodSource("misfortunes")
    void serverIsAway_overviewGoesOn_andShowsAllEventsAfterwards(Misfortune misfortune) {
        String name = "overview-" + misfortune.name().toLowerCase(Locale.ROOT);
        recovered();
        ingest(name + "-before").expect(200);
        admin.post("/api/v1/changes", Map.of("service", name + ":80", "title", name))
                .expect(201);
        Awaitility.await("read: " + name)
                .atMost(PATIENCE)
                .until(() -> recent("/api/v1/overview/rows").contains(name));

        misfortune.begin.accept(server);
        try {
            ingest(name).expect(200);
            checkOverview(misfortune, name);
        } finally {
            misfortune.end.accept(server);
        }

        recovered();
        assertThat(recent("/api/v1/overview")).contains(name);
        admin.post("/api/v1/changes", Map.of("service", name + ":80", "title", name + " again"))
                .expect(201);
        Awaitility.await("read again: " + name)
                .atMost(PATIENCE)
                .until(() -> recent("/api/v1/overview/rows").contains(name + " again"));
        assertThat(failures.list).extracting(ILoggingEvent::getFormattedMessage).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("misfortunes")
    void serverIsAway_tokensOfExternalUsersWorkAsBefore_andRestingOnesAreNotAccepted(
            Misfortune misfortune) {
        String name = misfortune.name().toLowerCase(Locale.ROOT);
        recovered();
        CentralClient awake = external("awake-" + name, 1);
        CentralClient resting = external("resting-" + name, 91);
        awake.get("/api/v1/overview").expect(200);
        assertThat(resting.get("/api/v1/overview").expect(401).body())
                .contains("has not logged in");

        misfortune.begin.accept(server);
        try {
            awake.get("/api/v1/overview").expect(200);
            CentralClient.Answer refused = resting.get("/api/v1/overview");
            if (misfortune.reads()) {
                refused.expect(401);
            } else {
                assertThat(refused.expect(503).problem()).isEqualTo("control-away");
            }
        } finally {
            misfortune.end.accept(server);
        }

        recovered();
        awake.get("/api/v1/overview").expect(200);
        assertThat(resting.get("/api/v1/overview").expect(401).body())
                .contains("has not logged in");
    }

    /** Waits until the outage of the test before is over, for reads and for writes. */
    private static void recovered() {
        Awaitility.await("recovered")
                .atMost(PATIENCE)
                .until(() -> admin.get("/api/v1/users").status() == 200);
        Awaitility.await("written")
                .atMost(PATIENCE)
                .until(() -> service.getBean(LaterWrites.class).waiting() == 0);
    }

    @ParameterizedTest
    @MethodSource("misfortunes")
    void serverIsAway_ingestGoesOn_andNothingIsToldTwiceAfterwards(Misfortune misfortune) {
        String name = misfortune.name().toLowerCase(Locale.ROOT).replace('_', '-');
        recovered();
        ingest(name + "-before").expect(200);
        AlertKeeper alerts = service.getBean(AlertKeeper.class);

        misfortune.begin.accept(server);
        try {
            ingest(name + "-first").expect(200);
            alerts.report(AlertKind.TOKEN_CREATED, "test", name, "en", "ja");
            for (int i = 0; i < 5; i++) {
                ingest(name + "-" + i).expect(200);
            }
            CentralClient.Answer refused =
                    admin.post("/api/v1/users", Map.of("name", "eve", "role", "viewer"));
            assertThat(refused.expect(503).problem()).isEqualTo("control-away");
            assertThat(refused.header("Retry-After")).isEqualTo("5");
            assertThat(refused.body()).contains("Telemetry is stored and judged as before");
            admin.get("/api/v1/flowchart").expect(200);
            admin.get("/actuator/health").expect(200);
            assertThat(told).as("told while it cannot be stored").doesNotContain(name);
        } finally {
            misfortune.end.accept(server);
        }

        Awaitility.await("told: " + name).atMost(PATIENCE).until(() -> told.contains(name));
        Awaitility.await("users of " + name)
                .atMost(PATIENCE)
                .until(() -> admin.get("/api/v1/users").status() == 200);
        Awaitility.await("stored fleet of " + name)
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(stored().sql(
                                        "select count(*) from watched_service where name like 'nginx%'"
                                                + " and id like ?")
                                .param(name + "-%")
                                .query(Integer.class)
                                .single())
                        .isEqualTo(7));
        Awaitility.await("outcome of " + name)
                .atMost(PATIENCE)
                .until(() -> stored().sql("select status from alert_delivery where subject = ?")
                        .param(name)
                        .query(String.class)
                        .list()
                        .equals(List.of("delivered")));
        assertThat(told).filteredOn(name::equals).hasSize(1);
        assertThat(stored().sql(
                                "select count(*) from alert_attempt a join alert_delivery d on d.id = a.delivery"
                                        + " where d.subject = ?")
                        .param(name)
                        .query(Integer.class)
                        .single())
                .isEqualTo(1);
        assertThat(stored().sql("select count(*) from alert where subject = ?")
                        .param(name)
                        .query(Integer.class)
                        .single())
                .isEqualTo(1);
    }
}
