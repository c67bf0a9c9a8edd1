package dev.komainu.intermediary.upstream;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * In which order a name's addresses are tried (RFC 8305 section 4): families take turns, IPv6
 * first; within a family each dial begins with the next address, so that load spreads; addresses
 * that lately failed come last.
 */
final class AddressOrder {

    private AddressOrder() {}

    static List<InetSocketAddress> of(
            List<InetSocketAddress> addresses, int turn, Predicate<InetSocketAddress> shunned) {
        if (addresses.size() < 2) {
            return addresses;
        }
        List<InetSocketAddress> order = new ArrayList<>(addresses.size());
        weave(addresses, turn, shunned.negate(), order);
        weave(addresses, turn, shunned, order);
        return order;
    }

    private static void weave(
            List<InetSocketAddress> addresses,
            int turn,
            Predicate<InetSocketAddress> wanted,
            List<InetSocketAddress> order) {
        List<InetSocketAddress> six = new ArrayList<>();
        List<InetSocketAddress> four = new ArrayList<>();
        for (InetSocketAddress address : addresses) {
            if (wanted.test(address)) {
                (address.getAddress() instanceof Inet6Address ? six : four).add(address);
            }
        }
        for (int i = 0; i < Math.max(six.size(), four.size()); i++) {
            if (i < six.size()) {
                order.add(six.get(Math.floorMod(turn + i, six.size())));
            }
            if (i < four.size()) {
                order.add(four.get(Math.floorMod(turn + i, four.size())));
            }
        }
    }
}
