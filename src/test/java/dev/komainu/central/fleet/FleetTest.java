package dev.komainu.central.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.SourceStatus;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One server is one service, for all sources and under all names. */
class FleetTest {

    private final Hand clock = new Hand();
    private final Fleet fleet = new Fleet(FleetTable.FORGETFUL, clock);

    @Test
    void recordWindow_mirrorPortThenLocalAgent_becomeOneServiceUnderTheAgentsName() {
        assertThat(fleet.recordWindow("agent@mirror", "192.0.2.1:80", 1)).isEqualTo("192.0.2.1:80");

        fleet.sighted(
                "agent@web-01", sighting("web-01:80", "web-01", "192.0.2.1:80", "127.0.0.1:80"));

        assertThat(fleet.services()).extracting(ServiceProfile::id).containsExactly("web-01:80");
        assertThat(fleet.recordWindow("agent@mirror", "192.0.2.1:80", 2)).isEqualTo("web-01:80");
        assertThat(fleet.service("192.0.2.1:80"))
                .extracting(ServiceProfile::id)
                .isEqualTo("web-01:80");
        assertThat(fleet.service("web-01:80").reportedBy())
                .containsExactlyInAnyOrder("agent@mirror", "agent@web-01");
    }

    @Test
    void sighted_localAgentFirst_mirrorPortMeetsItByAddress() {
        fleet.sighted("agent@web-01", sighting("web-01:80", "web-01", "192.0.2.1:80"));

        fleet.sighted("agent@mirror", sighting("192.0.2.1:80", null, "192.0.2.1:80"));

        assertThat(fleet.services()).singleElement().satisfies(service -> {
            assertThat(service.id()).isEqualTo("web-01:80");
            assertThat(service.kind()).isEqualTo("apache");
            assertThat(service.settings()).isNotEmpty();
        });
    }

    @Test
    void sighted_loopbackOfTwoNodes_staysTwoServices() {
        fleet.sighted("agent@web-01", sighting("web-01:80", "web-01", "127.0.0.1:80"));
        fleet.sighted("agent@web-02", sighting("web-02:80", "web-02", "127.0.0.1:80"));

        assertThat(fleet.services()).hasSize(2);
        assertThat(fleet.recordWindow("agent@web-02", "127.0.0.1:80", 5)).isEqualTo("web-02:80");
    }

    @Test
    void sighted_virtualAddressMovesToAnotherHost_meansTheServerThere() {
        fleet.sighted(
                "agent@web-01", sighting("web-01:80", "web-01", "192.0.2.1:80", "192.0.2.99:80"));
        fleet.sighted("agent@web-02", sighting("web-02:80", "web-02", "192.0.2.2:80"));
        assertThat(fleet.recordWindow("agent@mirror", "192.0.2.99:80", 1)).isEqualTo("web-01:80");

        fleet.sighted(
                "agent@web-02", sighting("web-02:80", "web-02", "192.0.2.2:80", "192.0.2.99:80"));
        fleet.sighted("agent@web-01", sighting("web-01:80", "web-01", "192.0.2.1:80"));

        assertThat(fleet.recordWindow("agent@mirror", "192.0.2.99:80", 2)).isEqualTo("web-02:80");
        assertThat(fleet.recordWindow("agent@mirror", "192.0.2.1:80", 2)).isEqualTo("web-01:80");
        assertThat(fleet.service("web-01:80").addresses()).hasSize(1);
    }

    @Test
    void sighted_listenerOnEveryAddress_isOneServiceAtEachOfThem() {
        fleet.sighted(
                "agent@web-01",
                sighting(
                        "web-01:80",
                        "web-01",
                        "192.0.2.1:80",
                        "[2001:db8::1]:80",
                        "[fe80::1]:80",
                        "[::1]:80"));

        assertThat(fleet.recordWindow("agent@mirror", "[2001:db8::1]:80", 1))
                .isEqualTo("web-01:80");
        assertThat(fleet.recordWindow("agent@mirror", "[2001:db8:0:0::1]:80", 1))
                .isEqualTo("web-01:80");
        assertThat(fleet.recordWindow("agent@mirror", "192.0.2.1:80", 1)).isEqualTo("web-01:80");
        assertThat(fleet.recordWindow("agent@mirror", "[::1]:80", 1)).isEqualTo("[::1]:80");
    }

    @Test
    void services_notSeenForADay_areRemoved() {
        fleet.sighted("agent@web-01", sighting("web-01:80", "web-01", "192.0.2.1:80"));

        clock.forward(Duration.ofHours(25));

        assertThat(fleet.services()).isEmpty();
    }

    @Test
    void sources_quietForThirtySeconds_areSilentUntilTheNextReport() {
        fleet.reported("agent@web-01", status());
        assertThat(fleet.sources()).singleElement().matches(source -> !source.silent());
        assertThat(fleet.nodesOfAgents()).containsExactly("web-01");

        clock.forward(Duration.ofSeconds(31));
        assertThat(fleet.sources()).singleElement().matches(SourceProfile::silent);
        assertThat(fleet.nodesOfAgents()).isEmpty();

        fleet.recordActivity("agent@web-01");
        assertThat(fleet.sources()).singleElement().matches(source -> !source.silent());
    }

    @Test
    void sighted_settingOrProcessChanged_listenersAreCalled() {
        List<String> notifications = new ArrayList<>();
        fleet.listen(new FleetListener() {
            @Override
            public void settingChanged(SettingChange change) {
                notifications.add(
                        change.setting() + " " + change.before() + " → " + change.after());
            }

            @Override
            public void restarted(String service, long atMicros) {
                notifications.add(service + " restarted");
            }
        });
        fleet.sighted("agent@web-01", sighting("web-01:80", "web-01", 1L, "10"));
        fleet.sighted("agent@web-01", sighting("web-01:80", "web-01", 1L, "10"));
        fleet.sighted("agent@web-01", sighting("web-01:80", "web-01", 2L, "20"));

        assertThat(notifications)
                .containsExactlyInAnyOrder("MaxRequestWorkers 10 → 20", "web-01:80 restarted");
    }

    @Test
    void originSide_reportedByProbeThenByLocalAgent_followsItsProxysName() {
        fleet.recordWindow("agent@mirror", "192.0.2.1:3128", 1);
        fleet.sighted("agent@mirror", originSide("192.0.2.1:3128>origin", "192.0.2.1:3128"));
        assertThat(fleet.service("192.0.2.1:3128>origin")).isNotNull();

        fleet.sighted("agent@web-01", sighting("web-01:3128", "web-01", "192.0.2.1:3128"));
        fleet.sighted("agent@web-01", originSide("web-01:3128>origin", "web-01:3128"));

        assertThat(fleet.services())
                .extracting(ServiceProfile::id)
                .containsExactlyInAnyOrder("web-01:3128", "web-01:3128>origin");
        assertThat(fleet.recordWindow("agent@mirror", "192.0.2.1:3128>origin", 2))
                .isEqualTo("web-01:3128>origin");
        assertThat(fleet.names(OriginSide.of("web-01:3128"))).contains("192.0.2.1:3128>origin");
        assertThat(OriginSide.proxyOf("web-01:3128>origin")).isEqualTo("web-01:3128");
        assertThat(OriginSide.proxyOf("web-01:3128")).isNull();
    }

    @Test
    void originSide_withAnotherNameOfItsSource_isStoredUnderItsProxy() {
        fleet.sighted("agent@web-01", sighting("web-01:3128", "web-01", "192.0.2.1:3128"));
        fleet.sighted("agent@web-01", originSide("behind-squid", "web-01:3128"));

        assertThat(fleet.recordWindow("agent@web-01", "behind-squid", 2))
                .isEqualTo("web-01:3128>origin");
    }

    private ServiceSighting originSide(String service, String proxy) {
        return new ServiceSighting(
                service,
                null,
                service,
                "origin",
                null,
                List.of(),
                new ServiceSighting.ServerProcess(null, null),
                List.of(),
                clock.millis() * 1_000,
                proxy);
    }

    private ServiceSighting sighting(String service, @Nullable String node, String... addresses) {
        List<Endpoint> endpoints =
                List.of(addresses).stream().map(Endpoint::parse).toList();
        boolean local = node != null;
        return new ServiceSighting(
                service,
                node,
                service,
                local ? "apache" : "other",
                null,
                endpoints,
                new ServiceSighting.ServerProcess(null, null),
                local ? List.of(new Setting("MaxRequestWorkers", "10", "default")) : List.of(),
                clock.millis() * 1_000);
    }

    private ServiceSighting sighting(String service, String node, long process, String workers) {
        return new ServiceSighting(
                service,
                node,
                service,
                "apache",
                null,
                List.of(Endpoint.parse("192.0.2.1:80")),
                new ServiceSighting.ServerProcess(process, null),
                List.of(new Setting("MaxRequestWorkers", workers, "default")),
                clock.millis() * 1_000);
    }

    private SourceStatus status() {
        return new SourceStatus(
                "web-01",
                SourceStatus.Kind.AGENT,
                "0.1.0",
                1,
                1,
                new SourceStatus.Use(1, 0.1),
                List.of(),
                List.of(),
                List.of());
    }

    /** A clock that the test sets. */
    private static final class Hand extends Clock {
        private Instant now = Instant.parse("2026-11-21T00:00:00Z");

        void forward(Duration duration) {
            now = now.plus(duration);
        }

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneId.of("UTC");
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
