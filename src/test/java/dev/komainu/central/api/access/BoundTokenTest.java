package dev.komainu.central.api.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.fleet.Fleet;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import tools.jackson.databind.JsonNode;

/** Tests of what the holder of one host's token can report: that host, and nothing else. */
class BoundTokenTest extends CentralTest {

    private static final String TOKENS = "/api/v1/tokens";

    @Autowired
    private Fleet fleet;

    private CentralClient.Answer create(Map<String, Object> wish) {
        return browser(Role.ADMINISTRATOR).post(TOKENS, wish);
    }

    private static Map<String, Object> reporting(String node) {
        return Map.of("source", "agent@" + node, "node", node, "networks", List.of("192.0.2.0/28"));
    }

    private CentralClient agent(String node) {
        String secret = create(Map.of(
                        "name", node, "scopes", List.of("ingest"), "reporting", reporting(node)))
                .expect(201)
                .json()
                .get("secret")
                .asString();
        return stranger().withToken(secret).withHeader("Content-Type", "application/x-ndjson");
    }

    private static CentralClient.Answer send(
            CentralClient agent, String source, int sequence, String... lines) {
        return agent.withHeader("Komainu-Batch", source + "/7/" + sequence)
                .post("/api/v1/ingest", String.join("\n", lines) + "\n");
    }

    private static String sighting(String node, String kind) {
        return """
                {"type":"serviceSighting","service":"%1$s:80","node":"%1$s","name":"%2$s :80","kind":"%2$s","addresses":["192.0.2.3:80"],"settings":[],"atMicros":%3$d}""".replace("%1$s", node)
                .replace("%2$s", kind)
                .replace("%3$d", Long.toString(System.currentTimeMillis() * 1_000));
    }

    @Test
    void tokenToIngest_needsNamesToReport_othersHaveNone() {
        assertThat(create(Map.of("name", "a", "scopes", List.of("ingest")))
                        .expect(400)
                        .body())
                .contains("reporting: null (expected: source, and node or networks");
        assertThat(create(Map.of(
                                "name",
                                "a",
                                "scopes",
                                List.of("metrics:read"),
                                "reporting",
                                reporting("web")))
                        .expect(400)
                        .body())
                .contains("absent without the scope ingest");
        assertThat(create(Map.of(
                                "name",
                                "a",
                                "scopes",
                                List.of("ingest"),
                                "reporting",
                                Map.of("source", "s", "networks", List.of("192.0.2.1/24", "x"))))
                        .expect(400)
                        .body())
                .contains("reporting.networks[0]: 192.0.2.1/24", "reporting.networks[1]: x");
        assertThat(create(Map.of(
                                "name",
                                "a",
                                "scopes",
                                List.of("ingest"),
                                "reporting",
                                Map.of("source", "s")))
                        .expect(400)
                        .body())
                .contains("node, networks or both");
    }

    @Test
    void boundToken_isListedWithItsNames_andRotatesToTheSame() {
        JsonNode created = create(Map.of(
                        "name",
                        "rotated",
                        "scopes",
                        List.of("ingest"),
                        "reporting",
                        reporting("rotated")))
                .expect(201)
                .json()
                .get("token");

        JsonNode rotated = browser(Role.ADMINISTRATOR)
                .post(
                        TOKENS + "/" + created.get("id").asString() + "/rotation",
                        Map.of("overlapHours", 0))
                .expect(201)
                .json()
                .get("token");

        assertThat(rotated.get("reporting")).isEqualTo(created.get("reporting"));
        assertThat(created.at("/reporting/networks/0").asString()).isEqualTo("192.0.2.0/28");
    }

    @Test
    void stolenToken_cannotSpeakForAnotherHost_theHonestAgentLosesNothing() {
        CentralClient victim = agent("victim");
        CentralClient thief = agent("thief");
        send(victim, "agent@victim", 1, sighting("victim", "nginx")).expect(200);

        // The victim's batch name, taken beforehand, would make its own batch a duplicate.
        CentralClient.Answer taken =
                send(thief, "agent@victim", 2, sighting("victim", "apache")).expect(403);
        assertThat(taken.problem()).isEqualTo("foreign-source");
        assertThat(taken.body()).contains("agent@victim (expected: agent@thief)");
        JsonNode own = send(thief, "agent@thief", 1, sighting("victim", "apache"))
                .expect(200)
                .json();
        assertThat(own.get("records").asInt()).isZero();
        assertThat(own.get("refused").asInt()).isEqualTo(1);

        JsonNode honest = send(victim, "agent@victim", 2, sighting("victim", "nginx"))
                .expect(200)
                .json();
        assertThat(honest.get("duplicate").asBoolean()).isFalse();
        assertThat(honest.get("records").asInt()).isEqualTo(1);
        assertThat(fleet.service("victim:80").kind()).isEqualTo("nginx");
    }

    @Test
    void foreignReports_areToldByAnAlert() {
        CentralClient thief = agent("told");
        send(thief, "agent@told", 1, sighting("victim-2", "apache")).expect(200);
        CentralClient reader = machine(Scope.SERVERS_READ);

        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(
                                reader.get("/api/v1/alerts").expect(200).json().get("items"))
                        .anySatisfy(alert -> {
                            assertThat(alert.get("kind").asString()).isEqualTo("foreign-report");
                            assertThat(alert.get("subject").asString()).isEqualTo("token:told");
                            assertThat(alert.at("/text/en").asString()).contains("victim-2:80");
                        }));
    }
}
