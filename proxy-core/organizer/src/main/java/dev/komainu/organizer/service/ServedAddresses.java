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
 * The mapping between the addresses and the names of this member's services. Names are compared as
 * text, without a lookup in DNS. Each address of this machine is equivalent to the others, because
 * servers publish another one than loopback.
 *
 * @param all {@code NAME:PORT} and the server
 */
public record ServedAddresses(List<Served> all) {

    /**
     * A service.
     *
     * @param name without its port
     */
    public record Served(String name, int port, String host, int serverPort) {}

    /** An address in an object reference. */
    record HostPort(String host, int port) {}

    /** Returns the name of the service at an address; null: there is none. */
    @Nullable
    HostPort nameOf(HostPort address) {
        for (Served service : all) {
            if (service.serverPort() == address.port() && isSame(service.host(), address.host())) {
                return new HostPort(service.name(), service.port());
            }
        }
        return null;
    }

    /** Returns the server's address of a service; null: there is none. */
    @Nullable
    HostPort serverOf(HostPort name) {
        for (Served service : all) {
            if (service.port() == name.port() && service.name().equalsIgnoreCase(name.host())) {
                return new HostPort(service.host(), service.serverPort());
            }
        }
        return null;
    }

    private static boolean isSame(String configured, String published) {
        if (configured.equalsIgnoreCase(published)) {
            return true;
        }
        return isLocalHost(configured) && isLocalHost(published);
    }

    /** Reports whether a host is an address or the name of this machine. */
    static boolean isLocalHost(String host) {
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
