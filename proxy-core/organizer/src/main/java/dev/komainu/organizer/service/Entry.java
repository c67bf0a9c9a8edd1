package dev.komainu.organizer.service;

import java.net.InetSocketAddress;

/**
 * Where clients of a service come in.
 *
 * @param listen where
 * @param service {@code NAME:PORT}, as it is served; of TLS {@code *:PORT}, for the name that the client names
 * @param dataPorts of FTP: where its data connections are taken
 */
public record Entry(Protocol protocol, InetSocketAddress listen, String service, PortRange dataPorts) {

    private static final String NAME = "[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?|\\[[0-9a-f:.]+]";

    /** @throws IllegalArgumentException naming the setting and what was expected */
    public Entry {
        boolean tls = protocol == Protocol.TLS;
        int colon = service.lastIndexOf(':');
        String name = colon < 0 ? "" : service.substring(0, colon);
        if (!(tls ? name.equals("*") : name.matches(NAME)) || !isPort(service.substring(colon + 1))) {
            throw new IllegalArgumentException("service: " + service + " (expected: "
                    + (tls ? "*:PORT, for TLS names its service itself)" : "NAME:PORT as somebody serves it)"));
        }
        if (protocol != Protocol.FTP && !dataPorts.equals(PortRange.ANY)) {
            throw new IllegalArgumentException(
                    "data-ports: " + dataPorts.first() + "-" + dataPorts.last() + " (expected: of protocol ftp only)");
        }
    }

    private static boolean isPort(String text) {
        return text.matches("[0-9]{1,5}") && Integer.parseInt(text) >= 1 && Integer.parseInt(text) <= 65_535;
    }

    /** The service's port. */
    int port() {
        return Integer.parseInt(service.substring(service.lastIndexOf(':') + 1));
    }

    /** The service's name. */
    String name() {
        return service.substring(0, service.lastIndexOf(':'));
    }
}
