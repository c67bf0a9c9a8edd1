package dev.komainu.central.access;

import dev.komainu.settings.Cidr;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The names in which a credential may report: one source, one host, and the addresses of some
 * networks.
 *
 * @param source source of its batches
 * @param node name of its host; absent: it reports services by their addresses only
 * @param networks addresses for which it may report: those of its host, or those that a probe at a
 *     mirror port watches
 */
public record ReportingBounds(String source, @Nullable String node, List<Cidr> networks) {

    /** The expected form of a network, for messages. */
    public static final String BLOCK =
            "an address, or a block such as 192.0.2.0/24 without bits after its prefix";

    public ReportingBounds {
        networks = List.copyOf(networks);
    }

    /**
     * Creates the bounds from the text of the networks, as {@link #networksText} writes it.
     *
     * @param networks blocks divided by spaces; empty: none
     * @throws IllegalArgumentException as {@link Cidr#parse}
     */
    public static ReportingBounds of(String source, @Nullable String node, String networks) {
        return new ReportingBounds(
                source,
                node,
                Arrays.stream(networks.split(" "))
                        .filter(text -> !text.isEmpty())
                        .map(Cidr::parse)
                        .toList());
    }

    /**
     * Reports whether a text is a network: an address, or a block without bits after its prefix.
     */
    public static boolean isBlock(@Nullable String text) {
        try {
            return text != null && Cidr.parse(text).isPrefixOnly();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns the networks, divided by spaces. */
    public String networksText() {
        return networks.stream().map(Cidr::toString).collect(Collectors.joining(" "));
    }

    /** Reports whether facts about this host are allowed. */
    public boolean allowsNode(String name) {
        return name.equals(node);
    }

    /**
     * Reports whether facts about a service are allowed.
     *
     * @param id {@code HOST:PORT} or {@code HOST/NAME:PORT}; the host is the node's name or an
     *     address, IPv6 in brackets
     */
    public boolean allowsService(String id) {
        String host = host(id);
        return allowsNode(host) || isInNetworks(host);
    }

    /**
     * Reports whether a service on this host may be meant by a name that is valid on this host
     * only.
     *
     * @param address {@code HOST:PORT}, or {@code :PORT}; loopback addresses are the host's own
     */
    public boolean allowsLocalService(String address) {
        return allowsService(address)
                || (node != null
                        && (host(address).isEmpty()
                                || host(address).equals("localhost")
                                || isLoopback(host(address))));
    }

    /** Reports whether a service of this credential may have this address. */
    public boolean allowsAddress(InetAddress address) {
        return (node != null && address.isLoopbackAddress()) || isInNetworks(address);
    }

    /** A loopback address without the name of its host would be that of every host. */
    private boolean isInNetworks(InetAddress address) {
        return !address.isLoopbackAddress()
                && networks.stream().anyMatch(block -> block.contains(address));
    }

    private boolean isInNetworks(String host) {
        try {
            return isInNetworks(InetAddress.ofLiteral(host));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.ofLiteral(host).isLoopbackAddress();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String host(String id) {
        if (id.startsWith("[")) {
            int end = id.indexOf(']');
            return end < 0 ? id : id.substring(1, end);
        }
        int slash = id.indexOf('/');
        int colon = id.lastIndexOf(':');
        int end = slash >= 0 ? slash : colon >= 0 ? colon : id.length();
        return id.substring(0, end);
    }
}
