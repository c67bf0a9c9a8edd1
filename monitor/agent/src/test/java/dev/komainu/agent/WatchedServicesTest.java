package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WatchedServicesTest {

    @Test
    void nameOf_discoveredServer_isItsServiceAtEveryAddress() {
        WatchedServices watched = new WatchedServices(List.of(), Set.of());
        assertThat(watched.nameOf(Endpoint.parse("127.0.0.1:80"))).isNull();
        int before = watched.generation();
        watched.update(List.of(server(80, "127.0.0.1:80", "192.0.2.2:80")));
        assertThat(watched.generation()).isNotEqualTo(before);
        assertThat(watched.nameOf(Endpoint.parse("127.0.0.1:80"))).isEqualTo("web:80");
        assertThat(watched.nameOf(Endpoint.parse("192.0.2.2:80"))).isEqualTo("web:80");
        assertThat(watched.nameOf(Endpoint.parse("192.0.2.3:80"))).isNull();
        assertThat(watched.names()).containsExactly("web:80");
    }

    @Test
    void sightingsElsewhere_serverOfAHostWithoutDiscovery_namesHostAndSystem() {
        WatchedServices watched = new WatchedServices(
                List.of(Endpoint.parse("192.0.2.2:80"), Endpoint.parse("192.0.2.22:80")), Set.of());
        UndiscoveredHost here =
                new UndiscoveredHost("bsd-01", "FreeBSD", Set.of("192.0.2.2", "127.0.0.1"));

        assertThat(watched.sightingsElsewhere(1, here))
                .anySatisfy(sighting -> {
                    assertThat(sighting.node()).isEqualTo("bsd-01");
                    assertThat(sighting.settings())
                            .extracting("name", "value")
                            .containsExactly(
                                    org.assertj.core.groups.Tuple.tuple("host:system", "FreeBSD"));
                })
                .anySatisfy(sighting -> {
                    assertThat(sighting.service()).isEqualTo("192.0.2.22:80");
                    assertThat(sighting.node()).isNull();
                    assertThat(sighting.settings()).isEmpty();
                });
    }

    @Test
    void nameOf_serverGone_staysSoThatItsRefusalsCount() {
        WatchedServices watched = new WatchedServices(List.of(), Set.of());
        watched.update(List.of(server(80, "127.0.0.1:80")));
        int before = watched.generation();
        watched.update(List.of());
        assertThat(watched.nameOf(Endpoint.parse("127.0.0.1:80"))).isEqualTo("web:80");
        assertThat(watched.generation()).isEqualTo(before);
    }

    @Test
    void ports_atAMirrorPort_areThoseGivenAndThoseToLearn() {
        WatchedServices watched =
                new WatchedServices(List.of(Endpoint.parse("198.51.100.7:443")), Set.of(8080));
        assertThat(watched.nameOf(Endpoint.parse("203.0.113.9:22"))).isNull();
        assertThat(watched.nameOf(Endpoint.parse("198.51.100.7:443")))
                .isEqualTo("198.51.100.7:443");
        assertThat(watched.ports()).containsExactlyInAnyOrder(8080, 443);
        assertThat(watched.watchesPort(443)).isTrue();
        assertThat(watched.watchesPort(8080)).isTrue();
        assertThat(watched.watchesPort(22)).isFalse();
        assertThat(watched.sightingsElsewhere(1)).hasSize(1);
    }

    @Test
    void before_serverThatResponds_isLearnedAndWatchedFromItsFirstRecord() {
        WatchedServices watched = new WatchedServices(List.of(), Set.of(80));
        List<ServiceWindow> out = new ArrayList<>();
        RecordSink sink = watched.before(record -> out.add((ServiceWindow) record));
        String name = watched.nameOf(Endpoint.parse("203.0.113.9:80"));
        assertThat(name).isEqualTo("203.0.113.9:80");
        assertThat(watched.names()).isEmpty();
        int before = watched.generation();

        sink.accept(SomeWindows.synOnly(name, 1));
        assertThat(out).isEmpty();
        assertThat(watched.generation()).isEqualTo(before);
        sink.accept(SomeWindows.responding(name, 2));

        assertThat(out).hasSize(2);
        assertThat(watched.names()).containsExactly(name);
        assertThat(watched.generation()).isNotEqualTo(before);
        assertThat(watched.sightingsElsewhere(1)).hasSize(1);
    }

    private static DiscoveredServer server(int port, String... addresses) {
        return new DiscoveredServer(
                "web:" + port,
                "web",
                port,
                "nginx",
                null,
                List.of(addresses).stream().map(Endpoint::parse).toList(),
                1L,
                null,
                List.of(),
                List.of());
    }
}
