package dev.komainu.intermediary.access;

import dev.komainu.settings.Cidr;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.function.Predicate;

/**
 * A guard against use of a forward proxy to reach addresses that only its own host can reach
 * (SSRF). It checks the address that is actually connected to, in whatever form the name or number
 * was written: the resolver parses decimal, octal, hexadecimal and short forms before, and Java
 * represents an IPv4-mapped address as an IPv4 address. The administrator lists exceptions. This
 * proxy's own listeners are never connected to, listed or not.
 *
 * <p>IPv4: everything except the blocks of the special-purpose registry (RFC 6890). IPv6: only
 * global unicast, except blocks that contain an IPv4 address.
 */
public final class DialGuard implements Predicate<InetSocketAddress> {

    private static final List<Cidr> SPECIAL_PURPOSE = List.of(
            Cidr.parse("0.0.0.0/8"),
            Cidr.parse("10.0.0.0/8"),
            Cidr.parse("100.64.0.0/10"), // RFC 6598, carriers' NAT
            Cidr.parse("127.0.0.0/8"),
            Cidr.parse("169.254.0.0/16"), // link-local, and the clouds' metadata
            Cidr.parse("172.16.0.0/12"),
            Cidr.parse("192.0.0.0/24"),
            Cidr.parse("192.0.2.0/24"),
            Cidr.parse("192.88.99.0/24"), // RFC 7526, relays of 6to4
            Cidr.parse("192.168.0.0/16"),
            Cidr.parse("198.18.0.0/15"),
            Cidr.parse("198.51.100.0/24"),
            Cidr.parse("203.0.113.0/24"),
            Cidr.parse("224.0.0.0/3")); // multicast, reserved, broadcast

    /**
     * RFC 4291 section 2.4. Loopback, link-local, site-local, unique local, multicast, mapped and
     * NAT64 addresses are outside this block.
     */
    private static final Cidr GLOBAL = Cidr.parse("2000::/3");

    private static final List<Cidr> NOT_GLOBAL = List.of(
            Cidr.parse("2001::/23"), // RFC 2928: Teredo, ORCHID, benchmarks
            Cidr.parse("2001:db8::/32"),
            Cidr.parse("2002::/16"), // 6to4
            Cidr.parse("3fff::/20"));

    private volatile AccessList exceptions;
    private volatile List<InetSocketAddress> listeners = List.of();

    public DialGuard(AccessList exceptions) {
        this.exceptions = exceptions;
    }

    /** Replaces the exceptions. Any thread. */
    public void setExceptions(AccessList listed) {
        exceptions = listed;
    }

    /**
     * Replaces the addresses at which this proxy listens; a wildcard stands for every address of
     * this host. Any thread.
     */
    public void setOwnListeners(List<InetSocketAddress> addresses) {
        listeners = List.copyOf(addresses);
    }

    @Override
    public boolean test(InetSocketAddress target) {
        InetAddress address = target.getAddress();
        if (isOwnListener(target)) {
            return false;
        }
        return exceptions.permits(address)
                || (address instanceof Inet6Address
                        ? isGlobalUnicast(address)
                        : !isSpecialPurpose(address));
    }

    private boolean isOwnListener(InetSocketAddress target) {
        InetAddress address = target.getAddress();
        for (InetSocketAddress listener : listeners) {
            if (listener.getPort() != target.getPort()) {
                continue;
            }
            if (listener.getAddress().isAnyLocalAddress()
                    ? isThisHost(address)
                    : isSameAddress(listener, address)) {
                return true;
            }
        }
        return false;
    }

    /** Compares addresses; the unspecified address reaches every listener of this host. */
    private static boolean isSameAddress(InetSocketAddress listener, InetAddress address) {
        return address.isAnyLocalAddress() || listener.getAddress().equals(address);
    }

    private static boolean isThisHost(InetAddress address) {
        try {
            return address.isAnyLocalAddress()
                    || address.isLoopbackAddress()
                    || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return true;
        }
    }

    private static boolean isSpecialPurpose(InetAddress address) {
        return SPECIAL_PURPOSE.stream().anyMatch(block -> block.contains(address));
    }

    private static boolean isGlobalUnicast(InetAddress address) {
        return GLOBAL.contains(address)
                && NOT_GLOBAL.stream().noneMatch(block -> block.contains(address))
                && !isIsatap(address.getAddress());
    }

    /** Reports whether the interface identifier contains an IPv4 address (RFC 5214 section 6.1). */
    private static boolean isIsatap(byte[] a) {
        return (a[8] & 0xfc) == 0 && a[9] == 0 && a[10] == 0x5e && a[11] == (byte) 0xfe;
    }
}
