package dev.komainu.intermediary.upstream;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The order in which the addresses of a name are tried (RFC 8305 section 4). The two families take
 * turns, IPv6 first. Within a family each connection begins with the next address, so that load is
 * spread. Addresses that failed recently come last.
 */
final class AddressOrder {

    private AddressOrder() {}

    static List<InetSocketAddress> of(
            List<InetSocketAddress> addresses, int turn, Predicate<InetSocketAddress> shunned) {
        if (addresses.size() < 2) {
            return addresses;
        }
        List<InetSocketAddress> order = new ArrayList<>(addresses.size());
        interleave(addresses, turn, shunned.negate(), order);
        interleave(addresses, turn, shunned, order);
        return order;
    }

    private static void interleave(
            List<InetSocketAddress> addresses,
            int turn,
            Predicate<InetSocketAddress> included,
            List<InetSocketAddress> order) {
        List<InetSocketAddress> ipv6 = new ArrayList<>();
        List<InetSocketAddress> ipv4 = new ArrayList<>();
        for (InetSocketAddress address : addresses) {
            if (included.test(address)) {
                (address.getAddress() instanceof Inet6Address ? ipv6 : ipv4).add(address);
            }
        }
        for (int i = 0; i < Math.max(ipv6.size(), ipv4.size()); i++) {
            if (i < ipv6.size()) {
                order.add(ipv6.get(Math.floorMod(turn + i, ipv6.size())));
            }
            if (i < ipv4.size()) {
                order.add(ipv4.get(Math.floorMod(turn + i, ipv4.size())));
            }
        }
    }
}
