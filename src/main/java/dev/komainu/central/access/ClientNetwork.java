package dev.komainu.central.access;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The network that one client can use at will: an IPv4 address, or the /64 of an IPv6 address (RFC
 * 4291 section 2.5.4), which has 2^64 addresses.
 */
public final class ClientNetwork {

    private ClientNetwork() {}

    /** Returns the network of an address as text; the same text for an address that is absent. */
    public static String of(@Nullable String address) {
        if (address == null) {
            return "none";
        }
        String bare = address.replaceFirst("%.*$", "").replaceAll("[\\[\\]]", "");
        try {
            InetAddress parsed = InetAddress.ofLiteral(bare); // IPv4-mapped becomes IPv4
            byte[] bytes = parsed.getAddress();
            return parsed instanceof Inet6Address
                    ? HexFormat.of().formatHex(bytes, 0, 8) + "/64"
                    : parsed.getHostAddress();
        } catch (IllegalArgumentException e) {
            return "none";
        }
    }
}
