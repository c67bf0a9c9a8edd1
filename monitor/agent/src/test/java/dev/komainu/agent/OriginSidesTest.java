package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.agent.settings.OutsideSettings.GivenProxy;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Assignment of connections to the origin sides of proxies. */
class OriginSidesTest {

    private static final Endpoint CLIENT = Endpoint.parse("127.0.0.1:40000");

    @Test
    void of_connectionToANamedUpstreamFromThisHost_isTheProxysOriginSide() {
        OriginSides sides = new OriginSides(List.of());
        sides.update(
                List.of(proxy("nginx", 8080, "127.0.0.1:9000", "127.0.0.1:8080")),
                any -> null,
                "web-01",
                1);

        assertThat(sides.of(CLIENT, Endpoint.parse("127.0.0.1:9000")))
                .isEqualTo("web-01:8080>origin");
        // Its own port, another server, another host.
        assertThat(sides.of(CLIENT, Endpoint.parse("127.0.0.1:8080"))).isNull();
        assertThat(sides.of(CLIENT, Endpoint.parse("127.0.0.1:9001"))).isNull();
        assertThat(sides.of(Endpoint.parse("192.0.2.99:40000"), Endpoint.parse("127.0.0.1:9000")))
                .isNull();
        assertThat(sides.names()).containsExactly("web-01:8080>origin");
        assertThat(sides.ports()).containsExactly(9000);
        ServiceSighting sighting = sides.sightings().getFirst();
        assertThat(sighting.originSideOf()).isEqualTo("web-01:8080");
        assertThat(sighting.kind()).isEqualTo("origin");
        assertThat(sighting.addresses()).isEmpty();
    }

    @Test
    void update_serverWithoutUpstreams_hasNoOriginSide() {
        OriginSides sides = new OriginSides(List.of());
        sides.update(List.of(proxy("nginx", 8080), proxy("apache", 80)), any -> null, "web-01", 1);

        assertThat(sides.isEmpty()).isTrue();
        assertThat(sides.generation()).isZero();
    }

    @Test
    void of_forwardProxyGivenAtAMirror_takesWhatLeavesItsAddress() {
        OriginSides sides = new OriginSides(
                List.of(new GivenProxy(Endpoint.parse("192.0.2.5:3128"), List.of())));
        sides.update(List.of(), any -> null, "probe", 1);

        Endpoint fromProxy = Endpoint.parse("192.0.2.5:51000");
        assertThat(sides.of(fromProxy, Endpoint.parse("198.51.100.1:443")))
                .isEqualTo("192.0.2.5:3128>origin");
        assertThat(sides.of(Endpoint.parse("192.0.2.6:51000"), Endpoint.parse("198.51.100.1:443")))
                .isNull();
        assertThat(sides.of(fromProxy, Endpoint.parse("192.0.2.5:8080"))).isNull();
    }

    @Test
    void update_nameOfAnUpstream_isLookedUpWithoutHoldingTheAgentUp() {
        OriginSides sides = new OriginSides(List.of());
        List<DiscoveredServer> servers = List.of(proxy("haproxy", 80, "localhost:9000"));

        org.awaitility.Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            sides.update(servers, any -> null, "web-01", 1);
            return "web-01:80>origin".equals(sides.of(CLIENT, Endpoint.parse("127.0.0.1:9000")));
        });
    }

    private static DiscoveredServer proxy(String kind, int port, String... upstreams) {
        List<Upstream> behind = Stream.of(upstreams)
                .map(address -> Upstream.parse(address, 80, "test"))
                .toList();
        return new DiscoveredServer(
                "web-01:" + port,
                "web-01",
                port,
                kind,
                null,
                List.of(Endpoint.parse("127.0.0.1:" + port)),
                1L,
                null,
                List.of(),
                List.of(),
                new ServerConfiguration(List.of(), List.of(), behind, List.of(), false, List.of()));
    }
}
