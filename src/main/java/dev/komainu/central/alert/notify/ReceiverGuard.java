package dev.komainu.central.alert.notify;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import org.springframework.security.web.util.matcher.IpAddressMatcher;

/**
 * A guard against use of receivers to reach what only this host can reach (SSRF). It checks the
 * address that is connected to, not the name: a name may stand for another address the next time.
 *
 * <p>Refused are loopback and link-local addresses, all addresses of this host, the metadata
 * services of clouds and multicast, also where an IPv6 address contains such an IPv4 address. The
 * administrator lists exceptions. The listen port of this service is never connected to. Other
 * private addresses are permitted, because mail servers are there. Any thread.
 */
public final class ReceiverGuard {

    /**
     * The outcome of each attempt without a connection. It does not distinguish a refused address
     * from a closed port, so that a test notice is no port scanner.
     */
    static final String NOT_REACHED =
            "Not reachable, or not allowed by komainu.alerts.allow; the log of the central service has the reason";

    /** Metadata services outside the link-local block: AWS, Alibaba, Oracle, Azure. */
    private static final Set<String> METADATA =
            Set.of("fd00:ec2:0:0:0:0:0:254", "100.100.100.200", "192.0.0.192", "168.63.129.16");

    private final List<IpAddressMatcher> addresses;
    private final Set<String> names;
    private final IntSupplier ownPort;

    /**
     * Creates a guard.
     *
     * @param allowed addresses, CIDR blocks and host names
     * @param ownPort returns the listen port of this service
     */
    ReceiverGuard(List<String> allowed, IntSupplier ownPort) {
        this.addresses = allowed.stream()
                .filter(ReceiverGuard::isAddress)
                .map(IpAddressMatcher::new)
                .toList();
        this.names = allowed.stream()
                .filter(entry -> !isAddress(entry))
                .map(entry -> entry.toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
        this.ownPort = ownPort;
    }

    private static boolean isAddress(String entry) {
        return entry.contains(":") || entry.contains("/") || entry.matches("[0-9.]+");
    }

    /**
     * Returns the address to connect to.
     *
     * @param host name or address, IPv6 also in brackets
     * @throws IOException when the name has no address that is permitted
     */
    InetSocketAddress resolve(String host, int port) throws IOException {
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        for (InetAddress address : InetAddress.getAllByName(bare)) {
            InetSocketAddress target = new InetSocketAddress(address, port);
            if (permits(bare, target)) {
                return target;
            }
        }
        throw new IOException(
                host + ":" + port
                        + " is refused (expected: an address outside this host, or one listed in komainu.alerts.allow)");
    }

    /** Checks an address that a library resolved. */
    void check(String host, InetSocketAddress target) throws IOException {
        if (target.isUnresolved()) {
            throw new UnknownHostException(host);
        }
        if (!permits(host, target)) {
            throw new IOException(target + " is refused by komainu.alerts.allow");
        }
    }

    boolean permits(String host, InetSocketAddress target) {
        InetAddress address = target.getAddress();
        boolean here = isThisHost(address);
        if (here && target.getPort() == ownPort.getAsInt()) {
            return false;
        }
        String text = address.getHostAddress().replaceFirst("%.*$", "");
        return names.contains(host.toLowerCase(Locale.ROOT))
                || addresses.stream().anyMatch(block -> block.matches(text))
                || !(here || isInside(address));
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

    private static boolean isInside(InetAddress address) {
        byte[] bytes = address.getAddress();
        return address.isAnyLocalAddress()
                || address.isLoopbackAddress()
                || address.isLinkLocalAddress()
                || address.isMulticastAddress()
                || METADATA.contains(address.getHostAddress().replaceFirst("%.*$", ""))
                || (bytes.length == 4 && bytes[0] == 0)
                || (address instanceof Inet6Address && containsInside(bytes));
    }

    /**
     * Reports whether an IPv6 address contains an IPv4 address that is refused: IPv4-compatible
     * (RFC 4291), NAT64 (RFC 6052), 6to4 (RFC 3056), ISATAP (RFC 5214).
     */
    private static boolean containsInside(byte[] a) {
        boolean compatible = Arrays.equals(a, 0, 12, new byte[12], 0, 12);
        boolean nat64 = a[0] == 0 && a[1] == 0x64 && a[2] == (byte) 0xff && a[3] == (byte) 0x9b;
        boolean sixToFour = a[0] == 0x20 && a[1] == 0x02;
        boolean isatap = (a[8] & 0xfc) == 0 && a[9] == 0 && a[10] == 0x5e && a[11] == (byte) 0xfe;
        try {
            return ((compatible || nat64 || isatap)
                            && isInside(InetAddress.getByAddress(Arrays.copyOfRange(a, 12, 16))))
                    || (sixToFour
                            && isInside(InetAddress.getByAddress(Arrays.copyOfRange(a, 2, 6))));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an IPv4 address", e);
        }
    }
}
