package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.access.AccessSettings;
import dev.komainu.central.alert.AlertSettings;
import dev.komainu.central.capacity.CapacitySettings;
import dev.komainu.central.ingest.IngestSettings;
import dev.komainu.central.order.OrderKeys;
import dev.komainu.central.store.ConnectionQuery;
import dev.komainu.central.store.DuckStore;
import dev.komainu.central.store.ExchangeQuery;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.StoreSettings;
import dev.komainu.central.store.StoredRecord;
import dev.komainu.central.store.TimeRange;
import dev.komainu.central.store.WindowStep;
import dev.komainu.central.verify.VerifySettings;
import dev.komainu.telemetry.kit.GoldenFiles;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.RecordJson;
import dev.komainu.telemetry.wire.SignedOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tests of the service on the data directory and the settings of 0.1.0: all data is present, and
 * users can log in.
 */
class GoldenDataTest {

    private static final Path RELEASE = GoldenFiles.V0_1_0;
    private static final Instant WRITTEN = Instant.parse("2026-11-24T18:34:00Z");
    private static final TimeRange EVER = new TimeRange(0, Long.MAX_VALUE / 4);

    @TempDir
    private static Path directory;

    private static ConfigurableApplicationContext central;
    private static List<String> rows;

    @BeforeAll
    static void setUp() throws Exception {
        Path data = GoldenFiles.unpack(RELEASE, "central", directory.resolve("central"));
        String url = "jdbc:h2:file:" + data.resolve("control");
        rows = counts(url);
        GoldenFiles.check(
                RELEASE,
                "central.zip or configuration/application.yml",
                "H2 with its migrations, DuckDB, settings of the central service",
                () -> central = new SpringApplicationBuilder(CentralApplication.class)
                        .initializers(GoldenDataTest::setClock)
                        .run(
                                "--spring.config.additional-location=file:"
                                        + RELEASE.resolve("configuration/application.yml"),
                                "--komainu.data=" + data,
                                "--komainu.bootstrap-tokens=" + directory.resolve("tokens"),
                                "--komainu.caches.file=" + directory.resolve("caches"),
                                "--server.port=0"));
    }

    /**
     * Sets the clock to the hour in which the data was written, so that the data is neither expired
     * nor outside the default range of responses.
     */
    private static void setClock(ConfigurableApplicationContext context) {
        Clock then = Clock.offset(Clock.systemUTC(), Duration.between(Instant.now(), WRITTEN));
        ((GenericApplicationContext) context)
                .registerBean(
                        "clockOfThen",
                        Clock.class,
                        () -> then,
                        definition -> definition.setPrimary(true));
    }

    @AfterAll
    static void tearDown() {
        if (central != null) {
            central.close();
        }
    }

    @Test
    void signedOrders_ofThen_areVerified_andWrittenWithTheSameBytes() throws Exception {
        PrivateKey any =
                KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPrivate();
        PublicKey key = SignedOrder.key(central.getBean(OrderKeys.class).publicText());
        List<String> signed = central.getBean(JdbcClient.class)
                .sql("select signed from orders")
                .query(String.class)
                .list();

        assertThat(signed).isNotEmpty().allSatisfy(text -> {
            Order order = SignedOrder.verified(text, key);
            assertThat(order).isNotNull();
            assertThat(order.epoch()).isZero();
            assertThat(SignedOrder.sign(order, any)).startsWith(text.replaceAll("\\..*", "."));
        });
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
                try (ResultSet count = inner.executeQuery(
                        "select count(*) from \"" + tables.getString(1) + "\"")) {
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
        return JsonMapper.shared()
                .readTree(Files.readAllBytes(RELEASE.resolve("expected/" + file)));
    }

    @Test
    void fixture_hasRowsInTheTablesThatItNames() throws Exception {
        assertThat(rows).containsAll(Files.readAllLines(RELEASE.resolve("expected/h2-tables.txt")));
    }

    @Test
    void users_logInWithTheirOldPasswords() {
        GoldenFiles.check(RELEASE, "central.zip", "H2, users", this::login);
    }

    private void login() throws Exception {
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
    void tokens_keepTheirScopes() {
        GoldenFiles.check(RELEASE, "central.zip", "H2, tokens", this::useTokens);
    }

    private void useTokens() throws Exception {
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
    void storedData_isReturnedUnchanged() throws Exception {
        CentralClient admin = stranger()
                .login("admin", json("secrets.json").path("users").path("admin").asString());
        List<String> compared = new ArrayList<>();
        for (Map.Entry<String, JsonNode> told : json("central.json").properties()) {
            String path = told.getKey();
            // An override expires, and learnt values of a server are measured again.
            if (told.getValue().isNull()
                    || path.endsWith("/overrides")
                    || path.endsWith("/thresholds")) {
                continue;
            }
            GoldenFiles.check(RELEASE, "central.zip", "H2, read for " + path, () -> {
                JsonNode now = admin.get(path).expect(200).json();
                assertKept(path, rows(told.getValue()), rows(now));
            });
            compared.add(path);
        }
        assertThat(compared).hasSizeGreaterThan(9);
    }

    private static JsonNode rows(JsonNode answer) {
        return answer.has("items") ? answer.path("items") : answer;
    }

    /** Asserts that each stored row is present; the service can have added rows since its start. */
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

    /** Reports whether a field is changed by time or a login. */
    private static final Set<String> CHANGING = Set.of(
            "lastLogin", "lastUsed", "expires", "running", "waiting", "dropped", "lastAttempt");

    /**
     * The titles of a verification's indices are not stored: they come from the present catalogue.
     */
    private static final Set<String> VERIFICATION_CHANGING = Set.of("title");

    @Test
    void telemetry_isFoundByKind() {
        GoldenFiles.check(RELEASE, "central.zip", "DuckDB day file", this::compareTelemetry);
    }

    private void compareTelemetry() throws Exception {
        List<String> expected = Files.readAllLines(RELEASE.resolve("expected/records.txt"));
        RecordStore store = central.getBean(RecordStore.class);
        List<String> servers = List.of("golden-web:8080");
        List<String> proxies = List.of("golden-edge:7780");
        List<String> lines = new ArrayList<>();
        tell(
                lines,
                "connection",
                store
                        .connections(new ConnectionQuery(
                                servers, EVER, null, null, null, null, null, 10_000, null))
                        .items()
                        .stream()
                        .map(StoredRecord::record)
                        .toList());
        tell(
                lines,
                "proxyExchange",
                store
                        .exchanges(new ExchangeQuery(
                                proxies, EVER, null, null, null, null, 10_000, null))
                        .items()
                        .stream()
                        .map(StoredRecord::record)
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

    @Test
    void telemetry_isFoundByEachColumn() {
        GoldenFiles.check(RELEASE, "central.zip", "DuckDB day file, columns", this::filter);
    }

    private void filter() {
        RecordStore store = central.getBean(RecordStore.class);
        List<ConnectionRecord> connections = found(store, null, null, null, null, null);
        ConnectionRecord one = connections.stream()
                .filter(it -> slowest(it) > 0 && it.state() != ConnectionState.NORMAL)
                .findFirst()
                .orElseGet(() -> connections.stream()
                        .filter(it -> slowest(it) > 0)
                        .findFirst()
                        .orElseThrow());
        String client = one.client().address().getHostAddress();
        String target = one.exchanges().getFirst().target();
        assertFound(
                "state",
                found(store, one.state(), null, null, null, null),
                connections,
                it -> it.state() == one.state());
        assertFound(
                "client",
                found(store, null, client, null, null, null),
                connections,
                it -> it.client().address().getHostAddress().equals(client));
        assertFound(
                "duration",
                found(store, null, null, one.times().durationMicros(), null, null),
                connections,
                it -> it.times().durationMicros() >= one.times().durationMicros());
        assertFound(
                "response",
                found(store, null, null, null, slowest(one), null),
                connections,
                it -> slowest(it) >= slowest(one));
        assertFound(
                "targets",
                found(store, null, null, null, null, target),
                connections,
                it -> it.exchanges().stream()
                        .anyMatch(exchange ->
                                exchange.target() != null && exchange.target().contains(target)));

        List<ProxyExchange> exchanges = found(store, null, null, null, null);
        ProxyExchange other = exchanges.stream()
                .filter(it -> it.responseMicros() > 0 && it.outcome() != CacheOutcome.HIT)
                .findFirst()
                .orElseThrow();
        String visitor = other.client().address().getHostAddress();
        assertFound(
                "outcome",
                found(store, other.outcome(), null, null, null),
                exchanges,
                it -> it.outcome() == other.outcome());
        assertFound(
                "client",
                found(store, null, visitor, null, null),
                exchanges,
                it -> it.client().address().getHostAddress().equals(visitor));
        assertFound(
                "response",
                found(store, null, null, other.responseMicros(), null),
                exchanges,
                it -> it.responseMicros() >= other.responseMicros());
        assertFound(
                "target",
                found(store, null, null, null, other.target()),
                exchanges,
                it -> it.target().contains(other.target()));
    }

    private static List<ConnectionRecord> found(
            RecordStore store,
            ConnectionState state,
            String client,
            Long duration,
            Long response,
            String target) {
        return store
                .connections(new ConnectionQuery(
                        List.of("golden-web:8080"),
                        EVER,
                        state,
                        client,
                        duration,
                        response,
                        target,
                        10_000,
                        null))
                .items()
                .stream()
                .map(StoredRecord::record)
                .toList();
    }

    private static List<ProxyExchange> found(
            RecordStore store, CacheOutcome outcome, String client, Long response, String target) {
        return store
                .exchanges(new ExchangeQuery(
                        List.of("golden-edge:7780"),
                        EVER,
                        outcome,
                        client,
                        response,
                        target,
                        10_000,
                        null))
                .items()
                .stream()
                .map(StoredRecord::record)
                .toList();
    }

    private static long slowest(ConnectionRecord connection) {
        return connection.exchanges().stream()
                .map(HttpExchange::responseMicros)
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .max()
                .orElse(-1);
    }

    private static <T> void assertFound(
            String column, List<T> found, List<T> all, Predicate<T> expected) {
        assertThat(found.equals(all.stream().filter(expected).toList()))
                .as("records found by the column %s are those whose body says so", column)
                .isTrue();
        assertThat(found).as("found by the column %s", column).isNotEmpty();
    }

    /**
     * An upgrade in the middle of a day: records are appended to the earlier build's file of that
     * day.
     */
    @Test
    void append_onTheDayOfTheUpgrade_goesIntoTheFileOfThatDay() {
        GoldenFiles.check(RELEASE, "central.zip", "DuckDB day file, written to", this::append);
    }

    private void append() throws Exception {
        Path telemetry = GoldenFiles.unpack(RELEASE, "central", directory.resolve("upgraded"))
                .resolve("telemetry");
        Path file;
        try (Stream<Path> files = Files.list(telemetry)) {
            file = files.filter(path -> path.toString().endsWith(".duckdb"))
                    .findFirst()
                    .orElseThrow();
        }
        Instant evening =
                Instant.parse(file.getFileName().toString().replace(".duckdb", "T23:30:00Z"));
        List<String> lines = Files.readAllLines(RELEASE.resolve("expected/records.txt")).stream()
                .filter(line -> line.startsWith("{"))
                // Another client: a connection that two probes report is returned once.
                .map(line ->
                        line.replaceFirst("\"client\":\"127.0.0.[0-9]+", "\"client\":\"127.0.0.9"))
                .toList();
        List<TelemetryRecord> records =
                RecordJson.readLines(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
        DuckStore store =
                new DuckStore(StoreSettings.of(telemetry), Clock.fixed(evening, ZoneOffset.UTC));
        try {
            int connections = found(store, null, null, null, null, null).size();
            int exchanges = found(store, null, null, null, null).size();
            int samples = store.hostSamples("golden-web", EVER).size();

            assertThat(store.append(new Batch(new BatchId("later", 1, 1), records)))
                    .isEqualTo(RecordStore.Outcome.STORED);

            assertThat(found(store, null, null, null, null, null).size())
                    .as("connections")
                    .isEqualTo(connections + 1);
            assertThat(found(store, null, null, null, null).size())
                    .as("exchanges")
                    .isEqualTo(exchanges + 1);
            assertThat(store.hostSamples("golden-web", EVER).size())
                    .as("host samples")
                    .isEqualTo(samples + 1);
        } finally {
            store.close();
        }
        try (Stream<Path> files = Files.list(telemetry)) {
            assertThat(files.filter(path -> path.toString().endsWith(".duckdb")))
                    .containsExactly(file);
        }
    }

    private static void tell(
            List<String> lines, String kind, List<? extends TelemetryRecord> records) {
        lines.add(kind + " " + records.size());
        if (!records.isEmpty()) {
            lines.add(RecordJson.write(records.getFirst()));
        }
    }

    @Test
    void settings_keepTheirMeaning() {
        GoldenFiles.check(
                RELEASE,
                "configuration/application.yml",
                "settings of the central service",
                this::compareSettings);
    }

    private void compareSettings() {
        AccessSettings access = central.getBean(AccessSettings.class);
        assertThat(access.sessionIdle()).isEqualTo(Duration.ofDays(30));
        assertThat(access.sessionLength()).isEqualTo(Duration.ofDays(365));
        assertThat(access.loginFailures()).isEqualTo(7);
        assertThat(access.auditDays()).isEqualTo(3_650);
        StoreSettings store = central.getBean(StoreSettings.class);
        assertThat(store.memory()).isEqualTo(DataSize.ofMegabytes(128));
        assertThat(store.threads()).isEqualTo(1);
        assertThat(store.readers()).isEqualTo(3);
        assertThat(store.kept().rawDays()).isEqualTo(3_650);
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
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(20),
                        true));
        assertThat(central.getBean(CapacitySettings.class))
                .isEqualTo(new CapacitySettings(Duration.ofHours(6), 4, 3, Duration.ofMinutes(1)));
        assertThat(central.getBean(IngestSettings.class))
                .isEqualTo(new IngestSettings(DataSize.ofMegabytes(8), Duration.ofSeconds(20), 4));
    }
}
