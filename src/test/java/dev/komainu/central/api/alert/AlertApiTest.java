package dev.komainu.central.api.alert;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.OpenApiContract;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.alert.AlertKind;
import dev.komainu.central.api.stream.StreamListener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/**
 * Tests of rules, receivers and silences over REST: required scopes, refusals, and secrets that are
 * never returned.
 */
@Timeout(120)
class AlertApiTest extends CentralTest {

    private static final String RULES = "/api/v1/alert-rules";
    private static final String RECEIVERS = "/api/v1/receivers";
    private static final String SILENCES = "/api/v1/silences";

    @Test
    void rules_ofANewService_coverEveryKind() {
        Set<String> kinds = new TreeSet<>();
        browser(Role.VIEWER)
                .get(RULES)
                .expect(200)
                .json()
                .forEach(rule -> kinds.add(rule.get("kind").asString()));

        assertThat(kinds)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(AlertKind.values())
                        .filter(AlertKind::hasRules)
                        .map(AlertKind::text)
                        .toList());
    }

    @Test
    void rule_createdChangedDeleted_withVersionsAndKeys() {
        CentralClient administrator = browser(Role.ADMINISTRATOR);
        Map<String, Object> wish = new HashMap<>(Map.of(
                "name",
                "Shop",
                "kind",
                "service",
                "service",
                "shop-nobody:*",
                "states",
                List.of("stopped")));
        CentralClient keyed = administrator.withHeader("Idempotency-Key", "rule-once");
        CentralClient.Answer made = keyed.post(RULES, wish).expect(201);
        assertThat(made.header("ETag")).isEqualTo("\"1\"");
        assertThat(keyed.post(RULES, wish).expect(201).json()).isEqualTo(made.json());
        String path = RULES + "/" + made.json().get("id").asString();

        wish.put("needed", 8);
        wish.put("ofSeconds", 10);
        assertThat(keyed.post(RULES, wish).expect(422).problem())
                .isEqualTo("idempotency-key-reused");
        assertThat(administrator.put(path, wish).expect(428).problem())
                .isEqualTo("precondition-required");
        CentralClient.Answer changed =
                administrator.withHeader("If-Match", "\"1\"").put(path, wish).expect(200);
        assertThat(changed.header("ETag")).isEqualTo("\"2\"");
        assertThat(changed.json().get("needed").asInt()).isEqualTo(8);
        assertThat(administrator
                        .withHeader("If-Match", "\"1\"")
                        .put(path, wish)
                        .expect(412)
                        .problem())
                .isEqualTo("precondition-failed");
        wish.put("kind", "store-full");
        administrator.withHeader("If-Match", "\"2\"").put(path, wish).expect(400);

        administrator.delete(path).expect(204);
        administrator.withHeader("If-Match", "\"2\"").put(path, wish).expect(404);
    }

    @Test
    void rule_withMistakes_reportsAllOfThem() {
        String detail = browser(Role.ADMINISTRATOR)
                .post(
                        RULES,
                        Map.of(
                                "name",
                                "",
                                "kind",
                                "service",
                                "states",
                                List.of("weather"),
                                "needed",
                                3,
                                "ofSeconds",
                                2,
                                "severity",
                                "loud",
                                "threshold",
                                5,
                                "receivers",
                                List.of("nobody")))
                .expect(400)
                .body();

        assertThat(detail)
                .contains(
                        "name:",
                        "states[0]: weather",
                        "needed: 3",
                        "severity: loud",
                        "threshold: 5",
                        "receivers[0]");
    }

    @Test
    void receiver_ofMail_neverReturnsThePasswordNorUsesItElsewhere() {
        CentralClient administrator = browser(Role.ADMINISTRATOR);
        Map<String, Object> mail = new HashMap<>(Map.of(
                "host", "mail.invalid",
                "security", "starttls",
                "user", "komainu",
                "password", "very-secret-word",
                "from", "komainu@example.com",
                "to", List.of("me@example.com")));
        Map<String, Object> wish = new HashMap<>(Map.of(
                "name", "Mail", "type", "mail", "language", "ja", "mail", mail, "enabled", false));
        CentralClient.Answer made = administrator.post(RECEIVERS, wish).expect(201);
        String path = RECEIVERS + "/" + made.json().get("id").asString();
        assertThat(made.json().at("/mail/passwordSet").asBoolean()).isTrue();
        assertThat(made.json().at("/mail/port").asInt()).isEqualTo(587);

        mail.remove("password");
        mail.put("to", List.of("you@example.com"));
        CentralClient.Answer kept =
                administrator.withHeader("If-Match", "\"1\"").put(path, wish).expect(200);
        assertThat(kept.json().at("/mail/passwordSet").asBoolean()).isTrue();
        mail.put("host", "attacker.invalid");
        assertThat(administrator
                        .withHeader("If-Match", "\"2\"")
                        .put(path, wish)
                        .expect(400)
                        .body())
                .contains("mail.password");
        mail.put("security", "none");
        mail.put("password", "very-secret-word");
        assertThat(administrator.post(RECEIVERS, wish).expect(400).body())
                .contains("mail.security")
                .doesNotContain("very-secret-word");

        administrator.delete(path).expect(204);
        assertThat(administrator.get(RECEIVERS).expect(200).body()
                        + administrator.get("/api/v1/audit").expect(200).body()
                        + made.body()
                        + kept.body())
                .doesNotContain("very-secret-word");
    }

    @Test
    void receiver_test_answersWithItsOutcomeAndKeepsIt() throws Exception {
        HttpServer hook =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        hook.createContext("/", exchange -> {
            exchange.sendResponseHeaders(
                    exchange.getRequestURI().getPath().equals("/good-secret") ? 204 : 403, -1);
            exchange.close();
        });
        hook.start();
        try {
            CentralClient administrator = browser(Role.ADMINISTRATOR);
            String base = "http://127.0.0.1:" + hook.getAddress().getPort();
            Map<String, Object> wish = new HashMap<>(Map.of(
                    "name",
                    "Slack",
                    "type",
                    "slack",
                    "url",
                    base + "/good-secret",
                    "enabled",
                    false));
            CentralClient.Answer made = administrator.post(RECEIVERS, wish).expect(201);
            assertThat(made.json().get("url").asString()).isEqualTo(base + "/…");
            String path = RECEIVERS + "/" + made.json().get("id").asString();

            JsonNode good = administrator.post(path + "/test", null).expect(200).json();
            assertThat(good.get("delivered").asBoolean()).isTrue();
            wish.put("url", base + "/bad");
            administrator.withHeader("If-Match", "\"1\"").put(path, wish).expect(200);
            JsonNode bad = administrator.post(path + "/test", null).expect(200).json();
            assertThat(bad.get("outcome").asString()).isEqualTo("HTTP 403");

            JsonNode log = browser(Role.VIEWER)
                    .get(path + "/deliveries?limit=1")
                    .expect(200)
                    .json();
            assertThat(log.at("/items/0/tell").asString()).isEqualTo("test");
            assertThat(log.at("/items/0/attempts/0/outcome").asString()).isEqualTo("HTTP 403");
            assertThat(log.get("nextCursor").isNull()).isFalse();
            assertThat(browser(Role.VIEWER).get(RECEIVERS).expect(200).body())
                    .doesNotContain("good-secret");
            administrator.delete(path).expect(204);
            administrator.get(path + "/deliveries").expect(404);
        } finally {
            hook.stop(0);
        }
    }

    @Test
    void receiver_withMistakes_isRefusedWithoutRepeatingSecrets() {
        CentralClient administrator = browser(Role.ADMINISTRATOR);
        for (String url : List.of(
                "ftp://x/", "https://user:pw@x/", "https://", "not a url", "https://x/#y")) {
            assertThat(administrator
                            .post(
                                    RECEIVERS,
                                    Map.of(
                                            "name", "w", "type", "webhook", "url", url, "secret",
                                            "short"))
                            .expect(400)
                            .body())
                    .contains("url", "secret")
                    .doesNotContain("short\"")
                    .doesNotContain("user:pw");
        }
        assertThat(administrator
                        .post(
                                RECEIVERS,
                                Map.of(
                                        "name",
                                        "m",
                                        "type",
                                        "mail",
                                        "mail",
                                        Map.of(
                                                "host",
                                                "a b",
                                                "from",
                                                "x",
                                                "to",
                                                List.of("a@b\r\nBcc: c@d"))))
                        .expect(400)
                        .body())
                .contains("mail.host", "mail.from", "mail.to[0]");
    }

    @Test
    void silence_byAnOperator_runsIsListedAndEnds() throws Exception {
        CentralClient operator = browser(Role.OPERATOR);
        Map<String, Object> wish = Map.of(
                "kind", "maintenance",
                "service", "silenced:80",
                "reason", "new kernel",
                "endsAt", Instant.now().plus(Duration.ofHours(2)).toString());
        try (StreamListener listener =
                StreamListener.open(machine(Scope.METRICS_READ), "alerts", null)) {
            CentralClient keyed = operator.withHeader("Idempotency-Key", "silence-once");
            JsonNode made = keyed.post(SILENCES, wish).expect(201).json();
            assertThat(keyed.post(SILENCES, wish).expect(201).json().get("id"))
                    .isEqualTo(made.get("id"));
            assertThat(made.get("by").asString()).isEqualTo("test-operator");
            String id = made.get("id").asString();

            Map<String, String> event = listener.next(id);
            assertThat(event.get("event")).isEqualTo("alerts");
            OpenApiContract.get().checkSchema("AlertsNow", event.get("data"));
            assertThat(browser(Role.VIEWER).get(SILENCES).expect(200).body()).contains(id);
            browser(Role.VIEWER).delete(SILENCES + "/" + id).expect(403);

            assertThat(operator.delete(SILENCES + "/" + id)
                            .expect(200)
                            .json()
                            .get("running")
                            .asBoolean())
                    .isFalse();
            assertThat(operator.get(SILENCES).expect(200).body()).doesNotContain(id);
            assertThat(operator.get(SILENCES + "?status=all").expect(200).body())
                    .contains(id);
        }
        operator.delete(SILENCES + "/nobody").expect(404);
    }

    @Test
    void silence_withoutAnEndOrTooLong_isRefused() {
        CentralClient operator = browser(Role.OPERATOR);

        assertThat(operator.post(SILENCES, Map.of("kind", "silence", "reason", "x"))
                        .expect(400)
                        .body())
                .contains("endsAt");
        assertThat(operator.post(
                                SILENCES,
                                Map.of(
                                        "kind",
                                        "maintenance",
                                        "reason",
                                        " ",
                                        "endsAt",
                                        Instant.now().plus(Duration.ofDays(31)).toString()))
                        .expect(400)
                        .body())
                .contains("endsAt", "at most 30 days", "service", "reason");
    }

    @Test
    void alerts_listed_byStatusAndPage() {
        CentralClient viewer = browser(Role.VIEWER);

        assertThat(viewer.get("/api/v1/alerts?service=nobody:80")
                        .expect(200)
                        .json()
                        .get("items"))
                .isEmpty();
        viewer.get("/api/v1/alerts?status=ended&limit=2").expect(200);
        viewer.get("/api/v1/alerts?status=maybe").expect(400);
        viewer.get("/api/v1/alerts?status=ended&cursor=!!").expect(400);
    }
}
