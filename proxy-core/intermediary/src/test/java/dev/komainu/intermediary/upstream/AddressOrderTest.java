package dev.komainu.intermediary.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AddressOrderTest {

    private static final List<InetSocketAddress> MIXED = Stream.of(
                    "192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2")
            .map(literal -> new InetSocketAddress(InetAddress.ofLiteral(literal), 80))
            .toList();

    private static List<String> shown(List<InetSocketAddress> order) {
        return order.stream().map(a -> a.getAddress().getHostAddress()).toList();
    }

    @Test
    void families_takeTurns_sixFirst() {
        assertThat(shown(AddressOrder.of(MIXED, 0, address -> false)))
                .containsExactly(
                        "2001:db8:0:0:0:0:0:1", "192.0.2.1", "2001:db8:0:0:0:0:0:2", "192.0.2.2");
    }

    @Test
    void nextDial_beginsWithTheNextAddressOfEachFamily() {
        assertThat(shown(AddressOrder.of(MIXED, 1, address -> false)))
                .containsExactly(
                        "2001:db8:0:0:0:0:0:2", "192.0.2.2", "2001:db8:0:0:0:0:0:1", "192.0.2.1");
    }

    @Test
    void addressesThatFailed_comeLast() {
        assertThat(shown(AddressOrder.of(
                        MIXED, 0, address -> address.getAddress().getAddress().length == 16)))
                .containsExactly(
                        "192.0.2.1", "192.0.2.2", "2001:db8:0:0:0:0:0:1", "2001:db8:0:0:0:0:0:2");
    }
}
