package dev.komainu.central.api.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralTest;
import dev.komainu.central.OpenApiContract;
import dev.komainu.central.access.Scope;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.central.indices.Told;
import dev.komainu.central.label.LabelBook;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.Label;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import tools.jackson.databind.JsonNode;

/** Tests of filters, order, pages and members of the list of services. */
class ServiceListTest extends CentralTest {

    private static final List<String> IDS = List.of("listed-a:80", "listed-b:80", "listed-c:80");

    @Autowired
    private LiveFeed intake;

    @Autowired
    private Assessor assessor;

    @Autowired
    private LabelBook labels;

    @BeforeEach
    void tell() {
        if (assessor.latest().services().stream()
                        .filter(each -> IDS.contains(each.profile().id()))
                        .count()
                == IDS.size()) {
            return;
        }
        long now = System.currentTimeMillis() / 1_000;
        List<TelemetryRecord> records = new ArrayList<>();
        for (int i = 0; i < IDS.size(); i++) {
            for (long second = now - 20; second < now; second++) {
                records.add(Told.packets(
                        IDS.get(i), second, Map.of("rps", 30.0 - 10 * i, "ms", 150.0)));
            }
        }
        intake.stored(new Batch(new BatchId("agent@listed", 1, now), records));
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> IDS.stream().allMatch(id -> assessor.find(id).isPresent()));
    }

    @Test
    void list_withoutParameters_isAsBefore() {
        OpenApiContract.get()
                .checkSchema(
                        "ServicePage",
                        machine(Scope.SERVERS_READ)
                                .get("/api/v1/services")
                                .expect(200)
                                .body());
    }

    @Test
    void list_text_findsWordsInIdsAndNames() {
        assertThat(ids("text=LISTED%20b:80")).containsExactly("listed-b:80");
        assertThat(ids("text=listed-&state=stopped&state=saturated")).isEmpty();
    }

    @Test
    void list_label_listsTheServicesThatHaveAllOfThem() {
        labels.set("listed-a:80", new Label("listed", "shop"), "admin");
        labels.set("listed-b:80", new Label("listed", "shop"), "admin");
        labels.set("listed-b:80", new Label("tier", "web"), "admin");

        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(ids("label=listed%3Dshop&sort=id"))
                        .containsExactly("listed-a:80", "listed-b:80"));
        assertThat(ids("label=tier%3Dweb,listed%3Dshop")).containsExactly("listed-b:80");
        assertThat(ids("label=listed%3Dbank")).isEmpty();
    }

    @Test
    void list_sorted_isInThisOrder_highestFirstWithAMinus() {
        assertThat(ids("text=listed-&sort=id")).isEqualTo(IDS);
        assertThat(ids("text=listed-&sort=-id")).isEqualTo(IDS.reversed());
    }

    @Test
    void list_pages_containEachServiceOnce() {
        JsonNode first = page("text=listed-&sort=id&limit=2");
        assertThat(idsOf(first)).isEqualTo(IDS.subList(0, 2));

        JsonNode second = page(
                "text=listed-&sort=id&limit=2&cursor=" + first.get("nextCursor").asString());

        assertThat(idsOf(second)).isEqualTo(IDS.subList(2, 3));
        assertThat(second.path("nextCursor").isNull()
                        || second.path("nextCursor").isMissingNode())
                .isTrue();
    }

    @Test
    void list_fields_areTheOnlyMembers() {
        JsonNode item = page("text=listed-a&fields=id,state").get("items").get(0);

        assertThat(item.propertyNames()).containsExactlyInAnyOrder("id", "state");
    }

    @Test
    void list_mistakes_areNamedWithPositionAndExpectation() {
        assertThat(refusal("state=stopped&state=odd"))
                .startsWith("state[1]: odd (expected: one of problem, ")
                .contains("saturated/cpu");
        assertThat(refusal("kind=toaster"))
                .startsWith("kind[0]: toaster (expected: one of apache, ");
        assertThat(refusal("label=team"))
                .isEqualTo("label: team (expected: 1 to 5 labels KEY=VALUE with different keys,"
                        + " separated by commas)");
        assertThat(refusal("fields=id,colour"))
                .startsWith("fields[1]: colour (expected: one of id, name, ");
        assertThat(refusal("sort=-colour"))
                .isEqualTo("sort: -colour (expected: one of id, name, kind, node, state, since,"
                        + " arrivalPerSecond, processedPerSecond, errorsPerSecond, concurrent,"
                        + " responseP50Millis, responseP95Millis, trafficBytesPerSecond, hitRatio,"
                        + " with - before it for the highest first)");
    }

    private List<String> ids(String query) {
        return idsOf(page(query));
    }

    private static List<String> idsOf(JsonNode page) {
        return page.get("items")
                .valueStream()
                .map(item -> item.get("id").asString())
                .toList();
    }

    private JsonNode page(String query) {
        return machine(Scope.SERVERS_READ)
                .get("/api/v1/services?" + query)
                .expect(200)
                .json();
    }

    private String refusal(String query) {
        return machine(Scope.SERVERS_READ)
                .get("/api/v1/services?" + query)
                .expect(400)
                .json()
                .get("detail")
                .asString();
    }
}
