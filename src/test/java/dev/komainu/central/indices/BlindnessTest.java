package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.fleet.ServerLimits;
import dev.komainu.central.state.CollectorPresence;
import dev.komainu.central.state.RuleSet;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.UnobservableState;
import dev.komainu.central.state.UnobservableStates;
import dev.komainu.telemetry.record.HostSample;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the states that cannot be judged, by the collectors that report. */
class BlindnessTest {

    private static final String SERVICE = "a:80";
    private static final long NOW = 1_763_683_200L;

    private final IndexCatalogue catalogue = new IndexCatalogue();
    private final LiveIndices live = new LiveIndices(catalogue);
    private final RuleSet book = RuleSet.load(catalogue);

    @BeforeEach
    void packets() {
        for (long second = NOW - 20; second <= NOW; second++) {
            live.accept(
                    "agent@a",
                    SERVICE,
                    Told.packets(SERVICE, second, Map.of("rps", 20.0)),
                    second * 1_000);
        }
    }

    @Test
    void captureOnly_internalStatesUnobservable_namesTheCommand() {
        List<UnobservableState> blind = blind("apache", null, new ServerLimits(10.0, null));

        assertThat(blind)
                .filteredOn(UnobservableState::wholly)
                .extracting(UnobservableState::state)
                .containsExactlyInAnyOrder(
                        ServiceState.SATURATED_MEMORY,
                        ServiceState.SATURATED_DISK,
                        ServiceState.SATURATED_CPU);
        assertThat(blind)
                .filteredOn(each -> !each.wholly())
                .extracting(UnobservableState::state)
                .as("SYN repeats, ceilings and busy workers are seen in packets")
                .contains(ServiceState.SATURATED_SOCKETS, ServiceState.SATURATED_BANDWIDTH)
                .doesNotContain(ServiceState.UPSTREAM_FAULT, ServiceState.STOPPED_CRASHED);
        assertThat(blind)
                .allSatisfy(each -> assertThat(each.missing())
                        .isNotEmpty()
                        .allSatisfy(missing ->
                                assertThat(missing.command()).contains("./komainu agent")));
    }

    @Test
    void agentBesideIt_everyStateObservable() {
        host(Map.of("processes", 3.0));
        assertThat(blind("apache", "a", new ServerLimits(10.0, null))).isEmpty();
    }

    @Test
    void agentWithoutPermission_processStatesUnobservable() {
        live.accept("agent@a", withoutProcesses());
        List<UnobservableState> blind = blind("apache", "a", new ServerLimits(10.0, null));
        assertThat(blind).noneMatch(UnobservableState::wholly);
        assertThat(blind)
                .flatExtracting(UnobservableState::missing)
                .extracting(missing -> missing.text().en())
                .allMatch(text -> text.contains("has no permission to read"));
    }

    @Test
    void settingsNotRead_busyWorkersUnobservable_forKindsThatHaveThem() {
        host(Map.of("processes", 3.0));
        assertThat(blind("apache", "a", ServerLimits.UNKNOWN))
                .extracting(UnobservableState::state)
                .containsExactly(ServiceState.SATURATED_PROCESSES);
        assertThat(blind("other", "a", ServerLimits.UNKNOWN)).isEmpty();
    }

    @Test
    void proxyWithoutWatchedOriginSide_originStatesPartlyUnobservable() {
        host(Map.of("processes", 3.0, "ports", 5.0));
        assertThat(blind("varnish", "a", new ServerLimits(100.0, null)))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.state()).isEqualTo(ServiceState.UPSTREAM_FAULT);
                    assertThat(each.wholly())
                            .as("errors of the origin are seen")
                            .isFalse();
                    assertThat(each.missing().getFirst().command()).contains("--origin-side");
                });
    }

    private void host(Map<String, Double> values) {
        live.accept("agent@a", Told.host("a", SERVICE, NOW + 1, values));
    }

    private HostSample withoutProcesses() {
        HostSample whole = Told.host("a", SERVICE, NOW + 1, Map.of("processes", 1.0));
        return whole.withServers(whole.servers().stream()
                .map(server -> new HostSample.ServerProcesses(
                        SERVICE,
                        new HostSample.ServerProcesses.Use(0, 0, 0, 0),
                        new HostSample.ServerProcesses.OpenFiles(null, null),
                        new HostSample.ServerProcesses.AcceptQueue(0L, 128L, null),
                        null,
                        null,
                        null,
                        null))
                .toList());
    }

    private List<UnobservableState> blind(String kind, @Nullable String node, ServerLimits limits) {
        CollectorPresence presence = new CollectorPresence(true, node != null, node, node != null);
        return UnobservableStates.of(
                book.rules(), kind, live.view(SERVICE, node, limits, NOW), presence);
    }
}
