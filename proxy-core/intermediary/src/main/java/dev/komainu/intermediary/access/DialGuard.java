package dev.komainu.intermediary.access;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.function.Predicate;

/**
 * Keeps a forward proxy from being used to reach what only its own host can reach (SSRF): the
 * address actually dialled is judged, however the name or number was written (decimal, octal,
 * hexadecimal and short forms are read by the resolver before this, and an IPv4-mapped address is
 * an IPv4 address to Java). Exceptions are listed by the administrator; this proxy's own listeners
 * are never dialled, listed or not.
 *
 * <p>IPv4: everything but the blocks of the special-purpose registry (RFC 6890). IPv6: nothing but
 * global unicast, and of that nothing that carries an IPv4 address inside.
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
     * RFC 4291 section 2.4. Outside lie loopback, link-local, site-local, unique local, multicast,
     * mapped, NAT64.
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

    /** Other exceptions from now on. Any thread. */
    public void setExceptions(AccessList listed) {
        exceptions = listed;
    }

    /**
     * Tells where this proxy itself listens; a wildcard stands for every address of this host. Any
     * thread.
     */
    public void setOwnListeners(List<InetSocketAddress> own) {
        listeners = List.copyOf(own);
    }

    @Override
    public boolean test(InetSocketAddress target) {
        InetAddress address = target.getAddress();
        if (isOwnListener(target)) {
            return false;
        }
        return exceptions.permits(address)
                || (address instanceof Inet6Address ? isGlobalUnicast(address) : !isSpecialPurpose(address));
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

    /** The unspecified address reaches whatever listens on this host. */
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

    /** RFC 5214 section 6.1: an interface identifier that holds an IPv4 address. */
    private static boolean isIsatap(byte[] a) {
        return (a[8] & 0xfc) == 0 && a[9] == 0 && a[10] == 0x5e && a[11] == (byte) 0xfe;
    }
}
