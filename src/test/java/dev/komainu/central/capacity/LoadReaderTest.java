package dev.komainu.central.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetTable;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.Told;
import dev.komainu.central.store.ModelStore;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of the load points read from stored records. */
class LoadReaderTest {

    private static final String SERVICE = "load:80";
    private static final long START = 1_795_219_200L;

    private final ModelStore store = new ModelStore();
    private final Fleet fleet = new Fleet(
            FleetTable.FORGETFUL, Clock.fixed(Instant.ofEpochSecond(START + 60), ZoneOffset.UTC));
    private final LoadReader reader = new LoadReader(store, fleet);
    private long sequence;

    private void tell(List<TelemetryRecord> records) {
        store.append(new Batch(new BatchId("agent@load", 1, ++sequence), records));
    }

    private void sight(Setting... settings) {
        fleet.sighted(
                "agent@load",
                new ServiceSighting(
                        SERVICE,
                        "load",
                        SERVICE,
                        "apache",
                        null,
                        List.of(),
                        new ServiceSighting.ServerProcess(null, null),
                        List.of(settings),
                        START * 1_000_000,
                        null));
    }

    private LoadReader.Load read() {
        return reader.read(fleet.service(SERVICE), START, START + 60);
    }

    private void minute() {
        List<TelemetryRecord> records = new ArrayList<>();
        for (long second = START; second < START + 60; second++) {
            double lost = second == START + 25 ? 5 : 0;
            records.add(
                    Told.packets(SERVICE, second, Map.of("rps", 100.0, "ms", 20.0, "lost", lost)));
        }
        for (long at = START + 13; at <= START + 63; at += 10) {
            records.add(Told.host(
                    "load", SERVICE, at, Map.of("idle", 0.7, "cores", 0.4, "acceptQueue", 51.0)));
        }
        tell(records);
    }

    @Test
    void points_windowsAndSamples_areCombined() {
        sight(
                new Setting("MaxRequestWorkers", "10", "apache2.conf"),
                new Setting("cgroup:cpu.max", "50000 100000", "f"));
        minute();

        LoadReader.Load load = read();

        assertThat(load.facts()).isEqualTo(new ServerFacts(2.0, 0.5, 10.0, null));
        assertThat(load.underLoss()).isEqualTo(1);
        assertThat(load.points()).hasSize(5);
        LoadPoint point = load.points().get(1);
        assertThat(point.arrival()).isEqualTo(100);
        assertThat(point.processing()).isCloseTo(2, within(0.01));
        assertThat(point.responseSeconds()).isCloseTo(0.02, within(0.001));
        assertThat(point.cpuCores()).isCloseTo(0.4, within(1e-9));
        assertThat(point.use(Resource.CPU)).isCloseTo(0.3, within(1e-9));
        assertThat(point.use(Resource.CPU_QUOTA)).isCloseTo(0.8, within(1e-9));
        assertThat(point.use(Resource.WORKERS)).isCloseTo(0.2, within(0.01));
        assertThat(point.use(Resource.MEMORY)).isCloseTo(0.4, within(1e-9));
        assertThat(point.use(Resource.FILES)).isCloseTo(40.0 / 1_024, within(1e-9));
        assertThat(point.use(Resource.ACCEPT_QUEUE)).isCloseTo(51.0 / 511, within(1e-9));
        assertThat(point.use(Resource.NETWORK)).isCloseTo(0.1, within(1e-9));
        assertThat(point.use(Resource.CONNECTIONS)).isNaN();
    }

    @Test
    void points_ofSeveralServicesOfAHost_areThoseOfEachAlone() {
        sight(new Setting("MaxRequestWorkers", "10", "apache2.conf"));
        minute();
        List<TelemetryRecord> records = new ArrayList<>();
        for (long second = START; second < START + 60; second++) {
            records.add(Told.packets("other:80", second, Map.of("rps", 7.0, "ms", 5.0)));
        }
        for (long at = START + 13; at <= START + 63; at += 10) {
            records.add(Told.host("load", "other:80", at, Map.of("idle", 0.5, "cores", 0.1)));
        }
        tell(records);
        fleet.sighted(
                "agent@load",
                new ServiceSighting(
                        "other:80",
                        "load",
                        "other:80",
                        "nginx",
                        null,
                        List.of(),
                        new ServiceSighting.ServerProcess(null, null),
                        List.of(),
                        START * 1_000_000,
                        null));
        Map<ServiceProfile, Long> from = new LinkedHashMap<>();
        from.put(fleet.service(SERVICE), START);
        from.put(fleet.service("other:80"), START + 30);

        List<LoadReader.Load> loads = reader.read(from, START + 60);

        assertThat(loads)
                .containsExactly(
                        read(), reader.read(fleet.service("other:80"), START + 30, START + 60));
        assertThat(loads.get(1).points()).hasSize(3).first().satisfies(point -> {
            assertThat(point.arrival()).isEqualTo(7);
            assertThat(point.cpuCores()).isCloseTo(0.1, within(1e-9));
        });
    }

    @Test
    void facts_affinity_isTheCapacity() {
        sight(new Setting("limit:cpus", "1", "/proc/7/status"));
        minute();

        assertThat(read().facts().cores()).isEqualTo(1);
    }

    @Test
    void facts_malformedSettings_areUnknown() {
        sight(
                new Setting("limit:cpus", "3-1,x", "/proc/7/status"),
                new Setting("cgroup:cpu.max", "50000 0", "f"),
                new Setting("MaxRequestWorkers", "-5", "apache2.conf"));
        minute();

        assertThat(read().facts()).isEqualTo(new ServerFacts(2.0, null, null, null));
    }

    @Test
    void points_ofAProxyWithoutPackets_comeFromItsOwnCounters() {
        sight();
        List<TelemetryRecord> records = new ArrayList<>();
        for (long second = START; second < START + 60; second++) {
            records.add(Told.proxy(SERVICE, second, Map.of("rps", 80.0, "inFlight", 4.0)));
        }
        tell(records);

        LoadReader.Load load = read();

        assertThat(load.points()).hasSize(6);
        assertThat(load.points().getFirst().processed()).isEqualTo(80);
        assertThat(load.points().getFirst().processing()).isEqualTo(4);
        assertThat(load.facts().cores()).isNull();
    }
}
