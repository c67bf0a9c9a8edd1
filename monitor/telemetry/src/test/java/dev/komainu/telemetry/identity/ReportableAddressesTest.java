package dev.komainu.telemetry.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportableAddressesTest {

    @Test
    void of_addressesThatNameTheHostElsewhere_areKept_eachOnce() {
        List<InetAddress> addresses = new ArrayList<>();
        for (String text : List.of(
                "127.0.0.1",
                "::1",
                "169.254.3.4",
                "fe80::1",
                "0.0.0.0",
                "224.0.0.1",
                "192.0.2.10",
                "10.0.0.5",
                "2001:db8::1",
                "192.0.2.10")) {
            addresses.add(InetAddress.ofLiteral(text));
        }
        assertThat(ReportableAddresses.of(addresses))
                .containsExactly("192.0.2.10", "10.0.0.5", "2001:db8:0:0:0:0:0:1");
    }

    @Test
    void of_manyAddresses_asManyAsARequestMayName() {
        List<InetAddress> addresses = new ArrayList<>();
        for (int i = 1; i <= 100; i++) {
            addresses.add(InetAddress.ofLiteral("192.0.2." + i));
        }
        assertThat(ReportableAddresses.of(addresses)).hasSize(32).contains("192.0.2.1");
    }
}
