package dev.komainu.central.enrolment;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;

/** The address of this service in enrolment codes. */
public final class EnrolmentAddress {

    private EnrolmentAddress() {}

    /**
     * Returns {@code HOST:PORT}: the name by which an administrator reached this service, or an
     * address of this host if that was a loopback one, which other hosts cannot reach.
     *
     * @param host name or address; IPv6 with or without brackets
     */
    public static String of(String host, int port) {
        String bare = host.replaceAll("[\\[\\]]", "");
        return written(isLoopback(bare) ? ownAddress(bare) : bare) + ":" + port;
    }

    private static boolean isLoopback(String host) {
        if (host.equals("localhost")) {
            return true;
        }
        try {
            return InetAddress.ofLiteral(host).isLoopbackAddress();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String ownAddress(String otherwise) {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address ->
                            !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                    .sorted(Comparator.comparing(address -> !(address instanceof Inet4Address)))
                    .map(address -> address.getHostAddress().replaceFirst("%.*", ""))
                    .findFirst()
                    .orElse(otherwise);
        } catch (SocketException e) {
            return otherwise;
        }
    }

    private static String written(String host) {
        return host.contains(":") ? "[" + host + "]" : host;
    }
}
