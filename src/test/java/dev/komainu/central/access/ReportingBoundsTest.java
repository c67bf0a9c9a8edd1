package dev.komainu.central.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReportingBoundsTest {

    private final ReportingBounds host =
            ReportingBounds.of("agent@web-01", "web-01", "192.0.2.10/32 2001:db8::10/128");
    private final ReportingBounds mirrorPort =
            ReportingBounds.of("agent@probe", null, "198.51.100.0/24");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "web-01:80",
                "web-01/shop:80",
                "web-01",
                "192.0.2.10:443",
                "[2001:db8::10]:80"
            })
    void service_ofItsHostOrItsAddresses_allowed(String service) {
        assertThat(host.allowsService(service)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "web-02:80",
                "web-01.evil:80",
                "web-011:80",
                "WEB-01:80",
                "evil/web-01:80",
                "192.0.2.11:443",
                "192.0.2.10.evil:80",
                "[2001:db8::11]:80",
                "[2001:db8::10",
                "127.0.0.1:80",
                "[::1]:80",
                ":80",
                ""
            })
    void service_ofAnother_refused(String service) {
        assertThat(host.allowsService(service)).isFalse();
    }

    @Test
    void probeAtAMirrorPort_reportsItsNetworksAndNoHost() {
        assertThat(mirrorPort.allowsService("198.51.100.7:80")).isTrue();
        assertThat(mirrorPort.allowsService("203.0.113.7:80")).isFalse();
        assertThat(mirrorPort.allowsNode("")).isFalse();
        assertThat(mirrorPort.allowsNode("probe")).isFalse();
    }

    @Test
    void loopbackAddress_isTheHostsOwn_onlyBesideItsName() {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");

        assertThat(host.allowsAddress(loopback)).isTrue();
        assertThat(mirrorPort.allowsAddress(loopback)).isFalse();
        assertThat(ReportingBounds.of("s", null, "0.0.0.0/0").allowsService("127.0.0.1:80"))
                .as("loopback of which host?")
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {":8080", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "web-01:80"})
    void serverThatTheHostNames_isSeenByThatHostOnly(String server) {
        assertThat(host.allowsLocalService(server)).isTrue();
        assertThat(mirrorPort.allowsLocalService(server)).isFalse();
    }

    @Test
    void text_givesTheSameBounds() {
        assertThat(ReportingBounds.of(host.source(), host.node(), host.networksText()))
                .isEqualTo(host);
        assertThat(ReportingBounds.of("s", "n", "").networks()).isEmpty();
    }
}
