package dev.komainu.telemetry.identity;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** The addresses of this host that a part names at its enrolment. */
final class ReportableAddresses {

    /** Most addresses of one enrolment. */
    static final int MOST = 32;

    private ReportableAddresses() {}

    /** Returns the addresses of the interfaces that are up; none when they cannot be listed. */
    static List<String> ofThisHost() {
        try (Stream<NetworkInterface> interfaces = NetworkInterface.networkInterfaces()) {
            return of(interfaces
                    .filter(ReportableAddresses::isUp)
                    .flatMap(NetworkInterface::inetAddresses)
                    .toList());
        } catch (SocketException e) {
            return List.of();
        }
    }

    private static boolean isUp(NetworkInterface each) {
        try {
            return each.isUp();
        } catch (SocketException e) {
            // It has disappeared.
            return false;
        }
    }

    /** Returns those that name this host elsewhere: no loopback, no link-local address. */
    static List<String> of(Collection<InetAddress> addresses) {
        return addresses.stream()
                .filter(address -> !address.isLoopbackAddress()
                        && !address.isLinkLocalAddress()
                        && !address.isAnyLocalAddress()
                        && !address.isMulticastAddress())
                .map(address -> address.getHostAddress().replaceFirst("%.*", ""))
                .distinct()
                .limit(MOST)
                .toList();
    }
}
