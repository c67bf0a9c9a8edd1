package dev.komainu.proxy.route;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Predicate;

/**
 * Keeps a forward proxy from being used to reach what only its own host can reach (SSRF): the address actually dialled is
 * judged, however the name or number was written. Exceptions are listed by the administrator.
 */
public final class DialGuard implements Predicate<InetSocketAddress> {

    private static final List<Cidr> INNER = List.of(
            Cidr.parse("0.0.0.0/8"),
            Cidr.parse("10.0.0.0/8"),
            Cidr.parse("100.64.0.0/10"),
            Cidr.parse("127.0.0.0/8"),
            Cidr.parse("169.254.0.0/16"),
            Cidr.parse("172.16.0.0/12"),
            Cidr.parse("192.0.0.0/24"),
            Cidr.parse("192.168.0.0/16"),
            Cidr.parse("198.18.0.0/15"),
            Cidr.parse("224.0.0.0/3"),
            Cidr.parse("fc00::/7"),
            Cidr.parse("fe80::/10"),
            Cidr.parse("fec0::/10"),
            Cidr.parse("ff00::/8"));
    /** Forms that carry an IPv4 address inside: unspecified, loopback and compatible, NAT64, 6to4, Teredo. */
    private static final List<Cidr> WRAPPED = List.of(
            Cidr.parse("::/96"),
            Cidr.parse("64:ff9b::/96"),
            Cidr.parse("64:ff9b:1::/48"),
            Cidr.parse("2002::/16"),
            Cidr.parse("2001::/32"));

    private final AccessList exceptions;

    public DialGuard(AccessList exceptions) {
        this.exceptions = exceptions;
    }

    @Override
    public boolean test(InetSocketAddress target) {
        InetAddress address = target.getAddress();
        if (exceptions.permits(address)) {
            return true;
        }
        return !within(INNER, address) && !(address instanceof Inet6Address && within(WRAPPED, address));
    }

    private static boolean within(List<Cidr> blocks, InetAddress address) {
        for (Cidr block : blocks) {
            if (block.contains(address)) {
                return true;
            }
        }
        return false;
    }
}
