package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.central.fleet.ServerLimits;
import dev.komainu.telemetry.record.ClientPaths;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class CauseFormulasTest {

    private static final long SECOND = 1_764_000_000L;

    private final LiveIndices live = new LiveIndices(new IndexCatalogue());

    @Test
    void details_areReportedAsTheAgentReadThem() {
        HostSample told = Told.host("here", "here:80", SECOND, Map.of("idle", 0.25, "cores", 0.5));
        live.accept(
                "agent",
                told.withServers(List.of(withDetails(
                        told.servers().getFirst(),
                        new HostSample.ServerProcesses.Details(
                                new HostSample.ThreadStates(0.25, 40, 0.1, 0.2, 0.3, 0.15, 0.05),
                                new HostSample.PeakUse(0.9, 0.8, 0.3, 0.02),
                                new HostSample.Links(40, 10, 8L, 3L, 2L),
                                new HostSample.OtherUse(1.5, "stress", 17L, "/other", 1.25),
                                new HostSample.LoggedResponses(20, 5, 3, 4))))));

        assertThat(now("serverStoppedShare")).isEqualTo(0.25);
        assertThat(now("serverSampledThreads")).isEqualTo(40);
        assertThat(now("serverClientWriteShare")).isEqualTo(0.1);
        assertThat(now("serverClientReadShare")).isEqualTo(0.2);
        assertThat(now("serverBackendWaitShare")).isEqualTo(0.3);
        assertThat(now("serverLockWaitShare")).isEqualTo(0.15);
        assertThat(now("serverSleepShare")).isEqualTo(0.05);
        assertThat(now("serverBusiestProcessCores")).isEqualTo(0.9);
        assertThat(now("serverBusiestThreadCores")).isEqualTo(0.8);
        assertThat(now("serverRuntimeCores")).isEqualTo(0.3);
        assertThat(now("serverGcShare")).isEqualTo(0.02);
        assertThat(now("clientBlockedShare")).isEqualTo(0.25);
        assertThat(now("backendConnections")).isEqualTo(8);
        assertThat(now("backendConnecting")).isEqualTo(3);
        assertThat(now("backendUnackedConnections")).isEqualTo(2);
        assertThat(now("hostOtherCores")).isEqualTo(1.5);
        assertThat(now("loggedErrorsPerSecond")).isEqualTo(5);
        assertThat(now("loggedErrorShare")).isEqualTo(0.25);
        assertThat(now("errorShare")).isEqualTo(0.4);
        assertThat(now("loggedLostPagesPerSecond")).isEqualTo(4);
        assertThat(now("loggedLostPagesShare")).isEqualTo(0.2);
    }

    /** An older agent: the figures are unknown, not zero; the host's use is known without it. */
    @Test
    void withoutDetails_onlyTheOthersUseIsKnown() {
        live.accept(
                "agent", Told.host("here", "here:80", SECOND, Map.of("idle", 0.25, "cores", 0.5)));
        assertThat(now("serverStoppedShare")).isNaN();
        assertThat(now("serverClientWriteShare")).isNaN();
        assertThat(now("backendConnections")).isNaN();
        assertThat(now("clientBlockedShare")).isNaN();
        assertThat(now("hostOtherCores")).isEqualTo(1, within(1e-9));
    }

    @Test
    void departedServer_hasNoProcess_andWhatBecameOfItIsKnown() {
        HostSample told = Told.host("here", "here:80", SECOND - 1, Map.of("interval", 1.0));
        live.accept("agent", told);
        assertThat(now("successorProcesses")).isNaN();
        live.accept(
                "agent",
                Told.host("here", "here:80", SECOND + 1, Map.of("interval", 1.0))
                        .withServers(List.of())
                        .withDepartures(new HostSample.Departures(List.of(
                                new HostSample.DepartedServer("other:81", 9, 0, null),
                                new HostSample.DepartedServer("here:80", 2, 1, "a.service")))));
        assertThat(at("serverProcesses", SECOND)).isZero();
        assertThat(at("successorProcesses", SECOND)).isEqualTo(2);
        assertThat(at("supervised", SECOND)).isEqualTo(1);
        assertThat(at("serverStoppedShare", SECOND)).isNaN();
    }

    @Test
    void departures_areRenamedWithTheirServers() {
        HostSample renamed = HostSampleLookup.renamed(
                Told.host("here", "here:80", SECOND, Map.of())
                        .withDepartures(new HostSample.Departures(
                                List.of(new HostSample.DepartedServer("here:80", 2, 1, null)))),
                name -> "canonical");
        assertThat(renamed.departures()).isNotNull();
        assertThat(renamed.departures().servers().getFirst().service()).isEqualTo("canonical");
    }

    @Test
    void pathsToClients_areRatiosOfSums_andRatesInBytes() {
        live.baseline("here:80", new Baseline(1, 1, Double.NaN, 0, 1, 20, Baseline.ENOUGH_LESSONS));
        window(SECOND - 1, new ClientPaths(90, 0, micros(60_000, 10), micros(2_000_000, 10)));
        window(SECOND, new ClientPaths(10, 10, micros(60_000, 10), micros(2_000_000, 10)));

        assertThat(over("retransmittingClientsShare", 2)).isEqualTo(0.1);
        assertThat(over("deliveryP50BytesPerSecond", 2)).isCloseTo(2e6, within(2e4));
        assertThat(over("clientDataRoundTripP50Millis", 2)).isCloseTo(60, within(1.0));
        assertThat(over("clientRoundTripRatio", 2)).isCloseTo(3, within(0.05));
    }

    private void window(long second, ClientPaths paths) {
        ServiceWindow told = Told.packets("here:80", second, Map.of());
        live.accept(
                "agent",
                "here:80",
                new ServiceWindow(
                        told.service(),
                        told.fromMicros(),
                        told.lengthMicros(),
                        told.connections(),
                        told.exchanges(),
                        told.concurrency(),
                        told.packets(),
                        told.times(),
                        told.failures(),
                        paths),
                second * 1_000);
    }

    private static Distribution micros(long value, int count) {
        Histogram recorder = Distribution.newRecorder();
        recorder.recordValueWithCount(value, count);
        return Distribution.of(recorder);
    }

    private static HostSample.ServerProcesses withDetails(
            HostSample.ServerProcesses server, HostSample.ServerProcesses.Details details) {
        return new HostSample.ServerProcesses(
                server.service(),
                server.use(),
                server.files(),
                server.queue(),
                server.work(),
                server.waits(),
                server.group(),
                server.ports(),
                details);
    }

    private double now(String index) {
        return at(index, SECOND - 1);
    }

    private double at(String index, long second) {
        return live.view("here:80", "here", ServerLimits.UNKNOWN, second).now(index, 1);
    }

    private double over(String index, int seconds) {
        return live.view("here:80", "here", ServerLimits.UNKNOWN, SECOND).now(index, seconds);
    }
}
