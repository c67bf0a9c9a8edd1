package dev.komainu.central.api.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.ServiceState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of which rows of the fleet are published, and when. */
class RowChangesTest {

    private final RowChanges changes = new RowChanges();

    @Test
    void newService_isPublishedWithAllMembers() {
        Map<String, @Nullable Object> row = changes.next(
                        List.of(service("a", ServiceState.NORMAL, 12.34)))
                .rows()
                .getFirst();

        assertThat(row)
                .containsEntry("id", "a")
                .containsEntry("state", ServiceState.NORMAL)
                .containsKeys("name", "kind", "labels", "since", "cause", "idle", "summary");
    }

    @Test
    void unchangedService_isNotPublished() {
        changes.next(List.of(service("a", ServiceState.NORMAL, 12.34)));

        // The digits that differ are not shown.
        assertThat(changes.next(List.of(service("a", ServiceState.NORMAL, 12.31)))
                        .rows())
                .isEmpty();
    }

    @Test
    void changedFigure_ofAFewServices_isPublishedAtOnce_alone() {
        changes.next(List.of(service("a", ServiceState.NORMAL, 12.34)));

        assertThat(changes.next(List.of(service("a", ServiceState.NORMAL, 12.36)))
                        .rows())
                .containsExactly(Map.of("id", "a", "summary", Map.of("arrivalPerSecond", 12.4)));
    }

    @Test
    void changedFigures_of500Services_arePublishedOnceInTenSeconds_spread() {
        changes.next(fleet(500, 0, 1));
        Map<Object, Integer> times = new HashMap<>();
        for (int second = 1; second <= 100; second++) {
            List<Map<String, @Nullable Object>> rows =
                    changes.next(fleet(500, 0, second + 1)).rows();
            assertThat(rows).hasSizeBetween(20, 90);
            rows.forEach(row -> times.merge(row.get("id"), 1, Integer::sum));
        }
        assertThat(times).hasSize(500);
        assertThat(times.values()).containsOnly(10);
    }

    @Test
    void newState_isPublishedAtOnce_whateverThePace() {
        changes.next(fleet(500, 0, 1));

        List<Object> published = changes.next(fleet(500, 50, 1)).rows().stream()
                .filter(row -> row.containsKey("state"))
                .map(row -> row.get("id"))
                .toList();

        assertThat(published).hasSize(50);
    }

    @Test
    void removedService_isNamedOnce() {
        changes.next(fleet(3, 0, 1));

        assertThat(changes.next(fleet(2, 0, 1)).removed()).containsExactly("s2:80");
        assertThat(changes.next(fleet(2, 0, 1)).removed()).isEmpty();
        assertThat(changes.all()).extracting(FleetRow::id).containsExactly("s0:80", "s1:80");
    }

    @Test
    void whole_isWhatTheChangesAddUpTo() {
        Map<Object, Map<String, @Nullable Object>> reader = new HashMap<>();
        for (int second = 0; second < 25; second++) {
            for (Map<String, @Nullable Object> row :
                    changes.next(fleet(200, second % 7, second)).rows()) {
                Map<String, @Nullable Object> mine =
                        reader.computeIfAbsent(row.get("id"), id -> new HashMap<>());
                mine.put("state", row.getOrDefault("state", mine.get("state")));
            }
        }
        assertThat(changes.all())
                .hasSize(200)
                .allSatisfy(row ->
                        assertThat(reader.get(row.id()).get("state")).isEqualTo(row.state()));
    }

    @Test
    void serviceWithoutTraffic_isIdleAfterAMinute_untilTrafficComes() {
        for (int second = 0; second <= RowChanges.IDLE_SECONDS; second++) {
            assertThat(changes.all()).noneMatch(FleetRow::idle);
            changes.next(List.of(service("a", ServiceState.NORMAL, 0)));
        }
        assertThat(changes.all()).allMatch(FleetRow::idle);

        assertThat(changes.next(List.of(service("a", ServiceState.NORMAL, 0.1))).rows())
                .singleElement()
                .satisfies(row -> assertThat(row).containsEntry("idle", false));
    }

    private static List<ServiceAssessment> fleet(int services, int bad, double arrivals) {
        return IntStream.range(0, services)
                .mapToObj(i -> service(
                        "s" + i + ":80",
                        i < bad ? ServiceState.SATURATED_CPU : ServiceState.NORMAL,
                        arrivals))
                .toList();
    }

    private static ServiceAssessment service(String id, ServiceState state, double arrivals) {
        return new ServiceAssessment(
                new ServiceProfile(
                        id, null, id, "nginx", null, List.of(), null, null, List.of(), Set.of(), 0,
                        0),
                1_000,
                new Judgement(
                        state,
                        900,
                        "rule",
                        LocalizedText.of("cause", "cause"),
                        List.of(),
                        List.of(),
                        null),
                new ServiceAssessment.Summary(
                        arrivals, null, null, null, null, null, null, null, null),
                Map.of(),
                Map.of(),
                false);
    }
}
