package dev.komainu.organizer.service;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which of this member's services an address is, and where a service is. Names are compared as
 * text; nothing is asked of a name server. An address of this machine is each of its addresses, for
 * servers publish another one than loopback.
 *
 * @param all {@code NAME:PORT} and the server
 */
public record ServedAddresses(List<Served> all) {

    /** A service. @param name without its port */
    public record Served(String name, int port, String host, int serverPort) {}

    /** An address in an object reference. */
    record HostPort(String host, int port) {}

    /** As others may know it; null: it is none of these. */
    @Nullable
    HostPort nameOf(HostPort address) {
        for (Served one : all) {
            if (one.serverPort() == address.port() && isSame(one.host(), address.host())) {
                return new HostPort(one.name(), one.port());
            }
        }
        return null;
    }

    /** Where its server is; null: it is none of these. */
    @Nullable
    HostPort serverOf(HostPort name) {
        for (Served one : all) {
            if (one.port() == name.port() && one.name().equalsIgnoreCase(name.host())) {
                return new HostPort(one.host(), one.serverPort());
            }
        }
        return null;
    }

    private static boolean isSame(String configured, String published) {
        if (configured.equalsIgnoreCase(published)) {
            return true;
        }
        return isHere(configured) && isHere(published);
    }

    /** Whether it is an address or the name of this machine. */
    static boolean isHere(String host) {
        String name = host.toLowerCase(Locale.ROOT);
        if (name.equals("localhost") || name.equals(OWN_NAME)) {
            return true;
        }
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(name);
        if (bytes == null) {
            return false;
        }
        try {
            InetAddress address = InetAddress.getByAddress(bytes);
            return address.isLoopbackAddress()
                    || NetworkInterface.getByInetAddress(address) != null;
        } catch (UnknownHostException | SocketException e) {
            return false;
        }
    }

    private static final String OWN_NAME = ownName();

    private static String ownName() {
        try {
            return InetAddress.getLocalHost().getHostName().toLowerCase(Locale.ROOT);
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
