package dev.komainu.central.assessment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.FleetQuotas;
import dev.komainu.central.fleet.FleetSettings;
import dev.komainu.central.fleet.FleetTable;
import dev.komainu.central.fleet.RefusedNames.Limit;
import dev.komainu.central.ingest.BatchAdmission.QuotaException;
import dev.komainu.central.store.SettableClock;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FleetAdmissionTest {

    private static final FleetSettings SMALL = new FleetSettings(10, 6, 4, 3, Duration.ofHours(2));

    private final SettableClock clock = new SettableClock("2026-11-21T00:00:00Z");
    private final FleetQuotas quotas = new FleetQuotas(SMALL);
    private final Fleet fleet = new Fleet(FleetTable.FORGETFUL, clock, quotas);
    private final FleetAdmission admission = new FleetAdmission(fleet, quotas, clock);
    private final SomeRecords some = new SomeRecords(1);

    private List<TelemetryRecord> admit(
            String credential, String source, TelemetryRecord... records) throws QuotaException {
        Batch admitted = admission.admit(SomeRecords.batch(source, 1, records), credential);
        for (TelemetryRecord record : admitted.records()) {
            if (record instanceof ServiceSighting sighting) {
                fleet.sighted(source, sighting);
            }
        }
        return admitted.records();
    }

    private ServiceSighting[] sightings(String prefix, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> sighting(prefix + i + ":80", List.of(), List.of()))
                .toArray(ServiceSighting[]::new);
    }

    private ServiceSighting sighting(String id, List<Endpoint> addresses, List<Setting> settings) {
        return new ServiceSighting(
                id,
                null,
                id,
                "nginx",
                null,
                addresses,
                new ServiceSighting.ServerProcess(null, null),
                settings,
                now());
    }

    private long now() {
        return clock.millis() * 1_000;
    }

    @Test
    void batchOf3000InventedServices_namesAtMostTheTokensShare() throws Exception {
        admit("token:honest", "agent@web", sightings("web", 2));

        List<TelemetryRecord> kept = admit("token:stolen", "agent@x", sightings("x", 3_000));

        assertThat(kept).hasSize(SMALL.maxServicesPerCredential());
        assertThat(fleet.services()).hasSize(8);
        assertThat(quotas.refused().all().get(Limit.SERVICES).count()).isEqualTo(2_994);
        assertThat(admit("token:honest", "agent@web", sightings("web", 4)))
                .as("known services, and the two places that are left")
                .hasSize(4);
        assertThat(admit("token:third", "agent@web", sightings("third", 1)))
                .as("no place is left")
                .isEmpty();
    }

    @Test
    void windowsOfInventedServices_areLeftOut_connectionsStay() throws Exception {
        List<TelemetryRecord> records = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            records.add(some.window("invented" + i + ":80", now()));
            records.add(some.connection(now()));
        }

        List<TelemetryRecord> kept =
                admit("token:stolen", "agent@x", records.toArray(TelemetryRecord[]::new));

        assertThat(kept).hasSize(50 + SMALL.maxServicesPerCredential());
    }

    @Test
    void inventedSources_waitUntilAnotherIsForgotten() throws Exception {
        for (String source : List.of("a", "b", "c")) {
            admit("token:stolen", source, some.status(now()));
        }

        assertThatThrownBy(() -> admit("token:stolen", "d", some.status(now())))
                .isInstanceOf(QuotaException.class)
                .hasMessage("source d: the limit of sources is reached (3 of 4 in all)");
        admit("token:honest", "agent@web", some.status(now()));

        clock.pass(SMALL.forgetSourcesAfter().plusMinutes(1));
        fleet.sources();
        assertThat(admit("token:stolen", "d", some.status(now()))).hasSize(1);
    }

    @Test
    void inventedHosts_areLeftOut() throws Exception {
        TelemetryRecord[] hosts = IntStream.range(0, 30)
                .mapToObj(i -> some.host("node" + i, now()))
                .toArray(TelemetryRecord[]::new);

        assertThat(admit("token:stolen", "agent@x", hosts)).hasSize(3);
    }

    @Test
    void sightingWithManyLongSettingsAndAddresses_isTrimmed() throws Exception {
        List<Setting> settings = IntStream.range(0, 2_000)
                .mapToObj(
                        i -> new Setting("setting" + i, "x".repeat(i == 100 ? 40_000 : 1), "file"))
                .toList();
        List<Endpoint> addresses = IntStream.range(1, 200)
                .mapToObj(i -> Endpoint.parse("192.0.2." + i + ":80"))
                .toList();

        ServiceSighting kept = (ServiceSighting)
                admit("token:a", "agent@web", sighting("web:80", addresses, settings))
                        .getFirst();

        assertThat(kept.addresses()).hasSize(FleetQuotas.MOST_ADDRESSES);
        assertThat(kept.settings()).hasSize(100);
        assertThat(quotas.refused().all()).containsKeys(Limit.ADDRESSES, Limit.SETTINGS);
    }

    @Test
    void nameOf100000Characters_isRefused() throws Exception {
        assertThat(admit(
                        "token:a",
                        "agent@web",
                        sighting("x".repeat(100_000), List.of(), List.of())))
                .isEmpty();
        assertThat(quotas.refused().all().get(Limit.LENGTH).last()).hasSizeLessThan(200);
    }

    @Test
    void serviceNotSeenForADay_freesItsPlace() throws Exception {
        admit("token:a", "agent@web", sightings("web", 6));
        assertThat(admit("token:a", "agent@web", sightings("more", 1))).isEmpty();

        clock.pass(Duration.ofHours(25));
        fleet.services();

        assertThat(admit("token:a", "agent@web", sightings("more", 1))).hasSize(1);
    }
}
