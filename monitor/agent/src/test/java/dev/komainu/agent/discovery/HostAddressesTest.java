package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.Endpoint;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostAddressesTest {

    @Test
    void reachable_wildcard_isExpanded() throws Exception {
        List<InetAddress> hostAddresses = List.of(
                InetAddress.getByName("127.0.0.1"),
                InetAddress.getByName("::1"),
                InetAddress.getByName("192.0.2.2"));
        assertThat(HostAddresses.reachable(
                        List.of(InetAddress.getByName("0.0.0.0")), 80, hostAddresses))
                .containsExactlyInAnyOrder(
                        Endpoint.parse("127.0.0.1:80"), Endpoint.parse("192.0.2.2:80"));
        assertThat(HostAddresses.reachable(List.of(InetAddress.getByName("::")), 80, hostAddresses))
                .hasSize(3);
        assertThat(HostAddresses.reachable(
                        List.of(InetAddress.getByName("::1")), 80, hostAddresses))
                .containsExactly(Endpoint.parse("[::1]:80"));
    }
}
