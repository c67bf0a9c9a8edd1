package dev.komainu.central.api.group;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.indices.Told;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import tools.jackson.databind.JsonNode;

/** Tests of labels and groups over REST. */
class GroupsTest extends CentralTest {

    @Autowired
    private LiveFeed feed;

    private long sequence;

    /**
     * Sends two minutes of four mirrors with 20 requests a second each.
     *
     * @param slowMillis time of the last one; 15 ms for the others
     */
    private void send(String name, double slowMillis) {
        long now = System.currentTimeMillis() / 1_000;
        List<TelemetryRecord> records = new ArrayList<>();
        for (int n = 1; n <= 4; n++) {
            String id = name + "-" + n + ":80";
            records.add(new ServiceSighting(
                    id,
                    name + "-" + n,
                    "nginx :80",
                    "nginx",
                    null,
                    List.of(),
                    new ServiceSighting.ServerProcess(10L + n, null),
                    List.of(
                            new Setting("worker_processes", n == 4 ? "1" : "8", "nginx.conf:1"),
                            new Setting("sendfile", "on", "nginx.conf:2")),
                    now * 1_000_000,
                    null,
                    List.of(
                            new ReportedLabel("mirror", name, ReportedLabel.OF_SETTINGS),
                            new ReportedLabel("unit", "nginx", "/proc/" + n + "/cgroup"))));
            for (long second = now - 100; second <= now; second++) {
                records.add(Told.packets(
                        id, second, Map.of("rps", 20.0, "ms", n == 4 ? slowMillis : 15.0)));
            }
        }
        feed.stored(
                new Batch(new BatchId("agent@" + name, System.nanoTime(), ++sequence), records));
        judged(name + "-4:80");
    }

    private JsonNode awaited(String path, Predicate<JsonNode> condition) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> browser(Role.VIEWER).get(path).expect(200).json(), condition);
    }

    @Test
    void group_ofFourMirrors_sumsSpreadAndSettings() {
        send("sum", 15);

        JsonNode group = awaited(
                "/api/v1/groups/mirror=sum?seconds=30",
                each -> each.get("members").asInt() == 4);
        assertThat(group.get("reporting").asInt()).isEqualTo(4);
        assertThat(group.get("sums").get("arrivalPerSecond").asDouble()).isEqualTo(80);
        assertThat(group.get("sums").get("samples").asLong()).isEqualTo(4 * 30 * 20);
        assertThat(group.get("spread").get("arrivalPerSecond").get("most").asDouble())
                .isEqualTo(20);
        long drawn = 0;
        for (JsonNode bin : group.get("distribution")) {
            drawn += bin.get("count").asLong();
        }
        assertThat(drawn).isEqualTo(4 * 30 * 20);
        assertThat(group.get("memberList").size()).isEqualTo(4);
        assertThat(group.get("memberList").get(0).get("share").asDouble()).isEqualTo(0.25);
        JsonNode first = group.get("settings").get(0);
        assertThat(first.get("name").asString()).isEqualTo("worker_processes");
        assertThat(first.get("odd").asString()).isEqualTo("sum-4:80");
        assertThat(group.get("capacity").get("known").asInt()).isZero();

        JsonNode list =
                browser(Role.VIEWER).get("/api/v1/groups?by=mirror").expect(200).json();
        assertThat(list.get("items").toString()).contains("mirror=sum");
        assertThat(list.get("keys").toString()).contains("\"key\":\"unit\"");

        JsonNode heat = browser(Role.VIEWER)
                .get("/api/v1/groups/mirror=sum/heat?index=arrivalPerSecond&stepSeconds=1")
                .expect(200)
                .json();
        assertThat(heat.get("rows").size()).isEqualTo(4);
        assertThat(heat.get("rows").get(0).get("values").size()).isEqualTo(60);
        assertThat(heat.get("rows").get(0).get("values").get(59).asDouble()).isEqualTo(20);
    }

    @Test
    void group_oneSlowMirror_isNamedWithEvidence() {
        JsonNode group = Awaitility.await()
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofSeconds(1))
                .until(
                        () -> {
                            send("odd", 120);
                            return browser(Role.VIEWER)
                                    .get("/api/v1/groups/mirror=odd")
                                    .expect(200)
                                    .json();
                        },
                        each -> !each.get("odd").isEmpty());

        JsonNode odd = group.get("odd").get(0);
        assertThat(group.get("odd").size()).isEqualTo(1);
        assertThat(odd.get("service").asString()).isEqualTo("odd-4:80");
        JsonNode clue = odd.get("evidence").get(0);
        assertThat(clue.get("figure").asString()).isEqualTo("response");
        assertThat(clue.get("value").asDouble()).isBetween(110.0, 130.0);
        assertThat(clue.get("peersMost").asDouble()).isBetween(14.0, 16.0);
    }

    @Test
    void labels_setByHandAndByRule_countAndStandInTheAuditLog() {
        send("hand", 15);
        CentralClient administrator = browser(Role.ADMINISTRATOR);
        String path = "/api/v1/services/hand-1:80/labels";

        JsonNode rule = administrator
                .post(
                        "/api/v1/label-rules",
                        Map.of("service", "hand-*:80", "key", "team", "value", "rule"))
                .expect(201)
                .json();
        JsonNode labels = administrator
                .put(path, Map.of("key", "team", "value", "shop"))
                .expect(200)
                .json();
        assertThat(labels.toString())
                .contains(
                        "\"value\":\"shop\",\"origin\":\"hand\",\"source\":\"test-administrator\",\"counts\":true")
                .contains("\"value\":\"rule\",\"origin\":\"rule\"");
        awaited(
                "/api/v1/services/hand-1:80",
                service -> "shop".equals(service.get("labels").path("team").asString("")));
        awaited(
                "/api/v1/services/hand-2:80",
                service -> "rule".equals(service.get("labels").path("team").asString("")));

        administrator.delete(path + "?key=team").expect(200);
        administrator.delete("/api/v1/label-rules/" + rule.get("id").asString()).expect(204);
        awaited("/api/v1/services/hand-1:80", service -> !service.get("labels").has("team"));
        assertThat(administrator.get("/api/v1/audit?limit=100").expect(200).body())
                .contains("label.set", "label.remove", "label-rule.create", "label-rule.delete");
    }

    @Test
    void labels_wrong_refusedByField() {
        send("wrong", 15);
        CentralClient administrator = browser(Role.ADMINISTRATOR);

        assertThat(administrator
                        .put(
                                "/api/v1/services/wrong-1:80/labels",
                                Map.of("key", "Team", "value", ""))
                        .expect(400)
                        .body())
                .contains("\"field\":\"key\"", "\"field\":\"value\"");
        assertThat(administrator
                        .post("/api/v1/label-rules", Map.of("key", "team", "value", "shop"))
                        .expect(400)
                        .body())
                .contains("\"field\":\"service\"");
        administrator.get("/api/v1/groups/mirror").expect(400);
        administrator.get("/api/v1/groups/mirror=none").expect(404);
        administrator.get("/api/v1/groups/mirror=wrong?seconds=61").expect(400);
        administrator.get("/api/v1/groups/mirror=wrong/heat?index=no-such").expect(400);
    }
}
