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

/** This host's own addresses, loopback among them. */
public final class HostAddresses {

    private HostAddresses() {}

    /** Addresses of every interface that is up; scopes of link-local ones are dropped. */
    public static List<InetAddress> now() {
        List<InetAddress> addresses = new ArrayList<>();
        try {
            for (NetworkInterface nic : NetworkInterface.networkInterfaces().toList()) {
                if (nic.isUp()) {
                    nic.inetAddresses().forEach(addresses::add);
                }
            }
        } catch (SocketException e) {
            // No interface can be listed: loopback is always there.
        }
        if (addresses.isEmpty()) {
            addresses.add(InetAddress.getLoopbackAddress());
        }
        return addresses;
    }

    /**
     * Where a listener can be reached: its own address, or every address of its family for the
     * wildcard; the IPv6 wildcard takes IPv4 too, as Linux does by default.
     */
    public static List<Endpoint> reachable(
            List<InetAddress> listening, int port, List<InetAddress> own) {
        Set<String> texts = new TreeSet<>();
        for (InetAddress local : listening) {
            if (!local.isAnyLocalAddress()) {
                texts.add(Endpoint.of(local.getAddress(), port).toString());
                continue;
            }
            for (InetAddress address : own) {
                if (!(local instanceof Inet4Address) || address instanceof Inet4Address) {
                    texts.add(Endpoint.of(address.getAddress(), port).toString());
                }
            }
        }
        return texts.stream().map(Endpoint::parse).toList();
    }
}
