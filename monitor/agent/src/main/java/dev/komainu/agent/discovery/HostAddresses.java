package dev.komainu.agent.discovery;

import dev.komainu.telemetry.record.Endpoint;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** This host's own addresses, including loopback. */
public final class HostAddresses {

    private HostAddresses() {}

    /**
     * Returns the addresses of all interfaces that are up, without the scope of link-local
     * addresses.
     */
    public static List<InetAddress> now() {
        List<InetAddress> addresses = new ArrayList<>();
        try {
            for (NetworkInterface networkInterface :
                    NetworkInterface.networkInterfaces().toList()) {
                if (networkInterface.isUp()) {
                    networkInterface.inetAddresses().forEach(addresses::add);
                }
            }
        } catch (SocketException e) {
            // No interface can be listed; loopback always exists.
        }
        if (addresses.isEmpty()) {
            addresses.add(InetAddress.getLoopbackAddress());
        }
        return addresses;
    }

    /**
     * Returns the addresses at which a listener can be reached: its own address, or every address
     * of its family for the wildcard. The IPv6 wildcard accepts IPv4 too, as Linux does by default.
     */
    public static List<Endpoint> reachable(
            List<InetAddress> listening, int port, List<InetAddress> hostAddresses) {
        Set<String> texts = new TreeSet<>();
        for (InetAddress local : listening) {
            if (!local.isAnyLocalAddress()) {
                texts.add(Endpoint.of(local.getAddress(), port).toString());
                continue;
            }
            for (InetAddress address : hostAddresses) {
                if (!(local instanceof Inet4Address) || address instanceof Inet4Address) {
                    texts.add(Endpoint.of(address.getAddress(), port).toString());
                }
            }
        }
        return texts.stream().map(Endpoint::parse).toList();
    }
}
