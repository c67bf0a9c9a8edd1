package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.access.AccessSettings;
import dev.komainu.central.alert.AlertSettings;
import dev.komainu.central.capacity.CapacitySettings;
import dev.komainu.central.ingest.IngestSettings;
import dev.komainu.central.store.ConnectionQuery;
import dev.komainu.central.store.ExchangeQuery;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.StoreSettings;
import dev.komainu.central.store.Stored;
import dev.komainu.central.store.TimeRange;
import dev.komainu.central.store.WindowStep;
import dev.komainu.central.verify.VerifySettings;
import dev.komainu.telemetry.kit.GoldenFiles;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.RecordJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The service started on the data directory and the settings of 0.1.0: all that was there is there, and people get in. */
class GoldenDataTest {

    private static final Path RELEASE = GoldenFiles.V0_1_0;
    private static final TimeRange EVER = new TimeRange(0, Long.MAX_VALUE / 4);

    @TempDir
    private static Path directory;

    private static ConfigurableApplicationContext central;
    private static List<String> rows;

    @BeforeAll
    static void start() throws Exception {
        Path data = GoldenFiles.unpack(RELEASE, "central", directory.resolve("central"));
        String url = "jdbc:h2:file:" + data.resolve("control");
        rows = counts(url);
        try (Connection h2 = DriverManager.getConnection(url, "komainu", "");
                Statement statement = h2.createStatement()) {
            // The fixture grows old: a token that has ended would tell nothing of the format.
            statement.executeUpdate("update tokens set expires = timestamp with time zone '2100-01-01 00:00:00+00'");
        }
        central = SpringApplication.run(
                CentralApplication.class,
                "--spring.config.additional-location=file:" + RELEASE.resolve("configuration/application.yml"),
                "--komainu.data=" + data,
                "--komainu.bootstrap-tokens=" + directory.resolve("tokens"),
                "--komainu.caches.file=" + directory.resolve("caches"),
                "--server.port=0");
    }

    @AfterAll
    static void stop() {
        if (central != null) {
            central.close();
        }
    }

    private static List<String> counts(String url) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (Connection h2 = DriverManager.getConnection(url, "komainu", "");
                Statement statement = h2.createStatement();
                Statement inner = h2.createStatement();
                ResultSet tables = statement.executeQuery(
                        "select table_name from information_schema.tables where table_schema = 'PUBLIC' order by"
                                + " table_name")) {
            while (tables.next()) {
                try (ResultSet count = inner.executeQuery("select count(*) from \"" + tables.getString(1) + "\"")) {
                    count.next();
                    lines.add(tables.getString(1) + " " + count.getLong(1));
                }
            }
        }
        return lines;
    }

    private static CentralClient stranger() {
        return CentralClient.at(
                ((WebServerApplicationContext) central).getWebServer().getPort());
    }

    private static JsonNode json(String file) throws Exception {
        return JsonMapper.shared().readTree(Files.readAllBytes(RELEASE.resolve("expected/" + file)));
    }

    @Test
    void fixture_hasRowsInTheTablesThatItNames() throws Exception {
        assertThat(rows).containsAll(Files.readAllLines(RELEASE.resolve("expected/h2-tables.txt")));
    }

    @Test
    void users_logInWithThePasswordsOfThen() throws Exception {
        json("secrets.json").path("users").properties().forEach(user -> {
            JsonNode session = stranger()
                    .login(user.getKey(), user.getValue().asString())
                    .get("/api/v1/session")
                    .expect(200)
                    .json();
            assertThat(session.path("user").path("name").asString()).isEqualTo(user.getKey());
            assertThat(session.path("mustChangePassword").asBoolean()).isFalse();
        });
    }

    @Test
    void tokens_openWhatTheyOpenedThen() throws Exception {
        JsonNode tokens = json("secrets.json").path("tokens");
        stranger()
                .withToken(tokens.path("golden-reader").asString())
                .get("/api/v1/services")
                .expect(200);
        stranger()
                .withToken(tokens.path("golden-sender").asString())
                .get("/api/v1/services")
                .expect(403);
    }

    @Test
    void whatPeopleAndTheServiceWroteThen_isToldAsThen() throws Exception {
        CentralClient admin = stranger()
                .login("admin", json("secrets.json").path("users").path("admin").asString());
        List<String> compared = new ArrayList<>();
        for (Map.Entry<String, JsonNode> told : json("central.json").properties()) {
            String path = told.getKey();
            // An override ends by itself, and what is learnt of a server is measured anew.
            if (told.getValue().isNull() || path.endsWith("/overrides") || path.endsWith("/thresholds")) {
                continue;
            }
            JsonNode now = admin.get(path).expect(200).json();
            assertKept(path, rows(told.getValue()), rows(now));
            compared.add(path);
        }
        assertThat(compared).hasSizeGreaterThan(9);
    }

    private static JsonNode rows(JsonNode answer) {
        return answer.has("items") ? answer.path("items") : answer;
    }

    /** Each row of then is there; the service may have told more since its start. */
    private static void assertKept(String path, JsonNode then, JsonNode now) {
        Set<String> changing = path.endsWith("/verifications") ? VERIFICATION_CHANGING : CHANGING;
        for (JsonNode row : then) {
            assertThat(now.valueStream()
                            .anyMatch(other ->
                                    GoldenFiles.lost(row, other, changing).isEmpty()))
                    .as("%s: %s is not among %s", path, row, now)
                    .isTrue();
        }
    }

    /** What time or a login changes. */
    private static final Set<String> CHANGING =
            Set.of("lastLogin", "lastUsed", "expires", "running", "waiting", "dropped", "lastAttempt");

    /** The titles of a verification's indices are not stored: the catalogue of the present words them. */
    private static final Set<String> VERIFICATION_CHANGING = Set.of("title");

    @Test
    void telemetry_isFoundByKind() throws Exception {
        List<String> expected = Files.readAllLines(RELEASE.resolve("expected/records.txt"));
        RecordStore store = central.getBean(RecordStore.class);
        List<String> servers = List.of("golden-web:8080");
        List<String> proxies = List.of("golden-edge:7780");
        List<String> lines = new ArrayList<>();
        tell(
                lines,
                "connection",
                store
                        .connections(new ConnectionQuery(servers, EVER, null, null, null, null, null, 10_000, null))
                        .items()
                        .stream()
                        .map(Stored::record)
                        .toList());
        tell(
                lines,
                "proxyExchange",
                store.exchanges(new ExchangeQuery(proxies, EVER, null, null, null, null, 10_000, null)).items().stream()
                        .map(Stored::record)
                        .toList());
        tell(
                lines,
                "serviceWindow",
                store.serviceWindows(servers, EVER, Duration.ofDays(1)).stream()
                        .map(WindowStep::total)
                        .toList());
        tell(
                lines,
                "proxyWindow",
                store.proxyWindows(proxies, EVER, Duration.ofDays(1)).stream()
                        .map(WindowStep::total)
                        .toList());
        tell(lines, "accessLogWindow", store.accessLogWindows(servers, EVER));
        tell(lines, "hostSample", store.hostSamples("golden-web", EVER));
        tell(lines, "serviceSighting", store.sightings(EVER));
        tell(lines, "sourceStatus", store.statuses(EVER));

        assertThat(lines).hasSameSizeAs(expected);
        for (int i = 0; i < lines.size(); i++) {
            if (expected.get(i).startsWith("{")) {
                GoldenFiles.assertKept(expected.get(i - 1), expected.get(i), lines.get(i));
            } else {
                assertThat(lines.get(i)).isEqualTo(expected.get(i));
            }
        }
    }

    private static void tell(List<String> lines, String kind, List<? extends TelemetryRecord> records) {
        lines.add(kind + " " + records.size());
        if (!records.isEmpty()) {
            lines.add(RecordJson.write(records.getFirst()));
        }
    }

    @Test
    void settings_meanWhatTheyMeantThen() {
        AccessSettings access = central.getBean(AccessSettings.class);
        assertThat(access.sessionIdle()).isEqualTo(Duration.ofDays(30));
        assertThat(access.sessionLength()).isEqualTo(Duration.ofDays(365));
        assertThat(access.loginFailures()).isEqualTo(7);
        assertThat(access.auditDays()).isEqualTo(3_650);
        StoreSettings store = central.getBean(StoreSettings.class);
        assertThat(store.memory()).isEqualTo(DataSize.ofMegabytes(128));
        assertThat(store.threads()).isEqualTo(1);
        assertThat(store.readers()).isEqualTo(3);
        assertThat(store.retentionDays()).isEqualTo(3_650);
        assertThat(store.retentionBytes()).isEqualTo(DataSize.ofGigabytes(10));
        assertThat(store.groupRecords()).isEqualTo(10_000);
        AlertSettings alerts = central.getBean(AlertSettings.class);
        assertThat(alerts.url()).startsWith("https://golden.example");
        assertThat(alerts.queue()).isEqualTo(50);
        assertThat(alerts.giveUp()).isEqualTo(Duration.ofHours(2));
        assertThat(alerts.timeout()).isEqualTo(Duration.ofSeconds(4));
        assertThat(alerts.historyDays()).isEqualTo(3_650);
        assertThat(central.getBean(VerifySettings.class))
                .isEqualTo(new VerifySettings(
                        Duration.ofSeconds(30), Duration.ofSeconds(5), Duration.ofSeconds(20), true));
        assertThat(central.getBean(CapacitySettings.class))
                .isEqualTo(new CapacitySettings(Duration.ofHours(6), 4, 3, Duration.ofMinutes(1)));
        assertThat(central.getBean(IngestSettings.class))
                .isEqualTo(new IngestSettings(DataSize.ofMegabytes(8), Duration.ofSeconds(20), 4));
    }
}
