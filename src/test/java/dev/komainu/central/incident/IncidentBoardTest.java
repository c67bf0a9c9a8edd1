package dev.komainu.central.incident;

import static dev.komainu.central.state.ServiceState.NORMAL;
import static dev.komainu.central.state.ServiceState.SATURATED_CPU;
import static dev.komainu.central.state.ServiceState.SATURATED_PROCESSES;
import static dev.komainu.central.state.ServiceState.STOPPED_CRASHED;
import static dev.komainu.central.state.ServiceState.UNKNOWN;
import static dev.komainu.central.state.ServiceState.UPSTREAM_FAULT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.incident.ServiceLink.Basis;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.ServiceState;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A proxy before a server, a second proxy before two servers, and an unrelated server. */
class IncidentBoardTest {

    private static final String PROXY = "web:80";
    private static final String SIDE = "web:80>origin";
    private static final String APP = "app:8080";
    private static final String BALANCER = "lb:80";
    private static final String OTHER = "other:80";

    private final Map<String, String> addresses =
            Map.of("192.0.2.1:8080", APP, "192.0.2.2:80", OTHER, "192.0.2.9:80", PROXY);
    private final Map<String, List<String>> origins = new HashMap<>(Map.of(
            SIDE,
            List.of("192.0.2.1:8080"),
            BALANCER + ">origin",
            List.of("192.0.2.1:8080", "192.0.2.2:80")));
    private final Map<String, ServiceState> states = new LinkedHashMap<>();
    private final Map<String, Long> since = new HashMap<>();
    private final Map<String, Double> p95 = new HashMap<>();
    private final List<Incident> stored = new ArrayList<>();
    private final IncidentBoard board = board(List.of());
    private long second = 1_000_000;

    @BeforeEach
    void allNormal() {
        Stream.of(PROXY, SIDE, APP, BALANCER, BALANCER + ">origin", OTHER)
                .forEach(service -> set(service, NORMAL));
        seconds(1);
    }

    @Test
    void serverNamedAfterItsProxy_becomesTheRootOfTheSameIncident() {
        set(PROXY, UPSTREAM_FAULT);
        seconds(1);
        Incident first = only();
        assertThat(first.root()).isEqualTo(PROXY);
        assertThat(first.settled()).as("the server may turn out to be the root").isFalse();

        seconds(2);
        set(SIDE, SATURATED_CPU); // a second view of the server, wrong about its cause
        set(APP, SATURATED_PROCESSES);
        seconds(1);

        Incident named = only();
        assertThat(named.id()).isEqualTo(first.id());
        assertThat(named.settled()).isTrue();
        assertThat(named.began()).isEqualTo(first.began());
        assertThat(services(named)).containsExactly(APP, PROXY, SIDE);
        assertThat(named.rootMember().basis()).isNull();
        assertThat(member(named, PROXY).basis()).isEqualTo(Basis.MEASURED);
        assertThat(board.of(SIDE)).isEqualTo(named);
    }

    @Test
    void serverRecoversBeforeItsProxy_itStaysTheRootForThirtySeconds() {
        set(APP, SATURATED_PROCESSES);
        set(PROXY, UPSTREAM_FAULT);
        seconds(5);
        set(APP, NORMAL);
        seconds(30);
        assertThat(only().root()).isEqualTo(APP);
        assertThat(member(only(), PROXY).basis()).isEqualTo(Basis.MEASURED);
        seconds(1);
        assertThat(only().root()).isEqualTo(PROXY);
    }

    @Test
    void serverStaysNormal_theProxyIsTheRootAfterEightSeconds() {
        set(PROXY, UPSTREAM_FAULT);
        seconds(8);
        assertThat(only().settled()).isFalse();
        seconds(1);
        assertThat(only().settled()).isTrue();
        assertThat(only().root()).isEqualTo(PROXY);
    }

    @Test
    void unrelatedFaultsAtOnce_areTwoIncidents() {
        set(APP, SATURATED_PROCESSES);
        set(PROXY, UPSTREAM_FAULT);
        set(OTHER, STOPPED_CRASHED);
        seconds(1);

        assertThat(board.open()).extracting(Incident::root).containsExactly(OTHER, APP);
        assertThat(services(board.open().getLast())).containsExactly(APP, PROXY);
    }

    @Test
    void proxyWithACauseOfItsOwn_isAnIncidentOfItsOwn() {
        set(APP, SATURATED_PROCESSES);
        set(PROXY, SATURATED_CPU);
        seconds(1);
        assertThat(board.open()).extracting(Incident::root).containsExactlyInAnyOrder(APP, PROXY);
        String own = board.of(PROXY).id();
        String server = board.of(APP).id();

        set(PROXY, UPSTREAM_FAULT);
        seconds(1);

        assertThat(only().id()).isEqualTo(server);
        Incident merged = stored.stream()
                .filter(each -> each.id().equals(own))
                .reduce((before, last) -> last)
                .orElseThrow();
        assertThat(merged.mergedInto()).isEqualTo(server);
        assertThat(merged.ended()).isNotNull();
    }

    @Test
    void severalServersBehind_theDependencyIsOnlyConfigured() {
        set(BALANCER, SATURATED_PROCESSES);
        set(OTHER, SATURATED_CPU);
        seconds(1);
        assertThat(only().root()).isEqualTo(OTHER);
        assertThat(member(only(), BALANCER).basis()).isEqualTo(Basis.CONFIGURED);
    }

    @Test
    void twoRootsBehindOneProxy_areTwoIncidentsAndTheEarlierHasTheProxy() {
        set(OTHER, SATURATED_CPU);
        seconds(3);
        set(APP, SATURATED_PROCESSES);
        set(BALANCER, UPSTREAM_FAULT);
        seconds(1);
        assertThat(board.open()).extracting(Incident::root).containsExactly(OTHER, APP);
        assertThat(board.of(BALANCER).root()).isEqualTo(OTHER);
    }

    @Test
    void shortRecovery_doesNotEndTheIncident_aLongOneDoes() {
        set(APP, SATURATED_PROCESSES);
        seconds(5);
        String id = only().id();
        set(APP, NORMAL);
        seconds(29);
        set(APP, SATURATED_PROCESSES);
        seconds(1);
        assertThat(only().id()).isEqualTo(id);
        assertThat(member(only(), APP).until()).isNull();

        set(APP, NORMAL);
        long recovered = second + 1;
        seconds(30);
        assertThat(board.open()).hasSize(1);
        seconds(1);

        assertThat(board.open()).isEmpty();
        assertThat(board.of(APP)).isNull();
        assertThat(stored.getLast().ended()).isEqualTo(Instant.ofEpochSecond(recovered));
        assertThat(stored.getLast().mergedInto()).isNull();
    }

    @Test
    void restarted_theIncidentGoesOn() {
        set(APP, SATURATED_PROCESSES);
        seconds(5);
        Incident before = stored.getLast();

        IncidentBoard after = board(List.of(before));
        after.assessed(assessment());

        assertThat(after.open()).extracting(Incident::id).containsExactly(before.id());
        assertThat(after.open().getFirst().began()).isEqualTo(before.began());
    }

    @Test
    void clockSetBackDuringRecovery_theIncidentEndsAfterTheUsualTime() {
        set(APP, SATURATED_PROCESSES);
        seconds(5);
        set(APP, NORMAL);
        seconds(2);
        second -= 3_600;
        seconds(31);
        assertThat(board.open()).isEmpty();
    }

    @Test
    void proxiesThatDependOnEachOther_areOneIncidentWithTheEarlierAsRoot() {
        origins.put(BALANCER + ">origin", List.of("192.0.2.9:80"));
        origins.put(SIDE, List.of("192.0.2.8:80"));
        Map<String, String> circle = Map.of("192.0.2.9:80", PROXY, "192.0.2.8:80", BALANCER);
        IncidentBoard round = new IncidentBoard(
                (address, node) -> circle.get(address), List.of(), incident -> {});
        set(BALANCER, UPSTREAM_FAULT);
        second++;
        set(PROXY, UPSTREAM_FAULT);
        round.assessed(assessment());
        assertThat(round.open()).hasSize(1);
        assertThat(round.open().getFirst().root()).isEqualTo(BALANCER);
    }

    @Test
    void shortlyUnknown_staysAffected_longUnknown_doesNot() {
        set(APP, SATURATED_PROCESSES);
        seconds(2);
        set(APP, UNKNOWN);
        seconds(59);
        assertThat(member(only(), APP).until()).isNull();
        seconds(2);
        assertThat(member(only(), APP).until()).isNotNull();
    }

    @Test
    void highestResponseTime_isKept() {
        set(APP, SATURATED_PROCESSES);
        for (double millis : new double[] {100, 4_200, 300}) {
            p95.put(APP, millis);
            seconds(1);
        }
        p95.remove(APP);
        seconds(1);
        assertThat(member(only(), APP).worstResponseP95Millis()).isEqualTo(4_200);
    }

    @Test
    void unchangedIncident_isStoredOnce() {
        set(APP, SATURATED_PROCESSES);
        seconds(20);
        assertThat(stored).hasSize(1);
    }

    private IncidentBoard board(List<Incident> resumed) {
        return new IncidentBoard((address, node) -> addresses.get(address), resumed, stored::add);
    }

    private void set(String service, ServiceState state) {
        if (states.put(service, state) != state) {
            since.put(service, second + 1);
        }
    }

    private void seconds(int count) {
        for (int i = 0; i < count; i++) {
            second++;
            board.assessed(assessment());
        }
    }

    private Incident only() {
        assertThat(board.open()).hasSize(1);
        return board.open().getFirst();
    }

    private static List<String> services(Incident incident) {
        return incident.members().stream().map(IncidentMember::service).toList();
    }

    private static IncidentMember member(Incident incident, String service) {
        return Objects.requireNonNull(incident.member(service));
    }

    private Assessment assessment() {
        return new Assessment(
                Instant.ofEpochSecond(second),
                states.keySet().stream().map(this::assessed).toList(),
                List.of(),
                List.of());
    }

    private ServiceAssessment assessed(String service) {
        List<Setting> settings = origins.getOrDefault(service, List.of()).stream()
                .map(origin -> new Setting("origin:" + origin, origin, "upstream"))
                .toList();
        ServiceState state = states.getOrDefault(service, NORMAL);
        return new ServiceAssessment(
                new ServiceProfile(
                        service,
                        "node",
                        service,
                        settings.isEmpty() ? "apache" : "origin",
                        null,
                        List.of(),
                        null,
                        null,
                        settings,
                        Set.of("agent@node"),
                        0,
                        second * 1_000_000),
                second,
                new Judgement(
                        state,
                        since.getOrDefault(service, second),
                        "test",
                        LocalizedText.of(state.label(), state.label()),
                        List.of(),
                        List.of(),
                        null),
                summary(p95.get(service)),
                Map.of(),
                Map.of(),
                false);
    }

    private static ServiceAssessment.Summary summary(@Nullable Double responseP95Millis) {
        return new ServiceAssessment.Summary(
                10.0, null, null, null, null, null, responseP95Millis, null, null);
    }
}
