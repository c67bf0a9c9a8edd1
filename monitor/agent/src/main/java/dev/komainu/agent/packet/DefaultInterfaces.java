package dev.komainu.agent.packet;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Interfaces that are captured when none are configured. */
public final class DefaultInterfaces {

    private DefaultInterfaces() {}

    /** Returns loopback and the interface of the default route, as far as they exist now. */
    public static List<String> names() {
        List<String> names = new ArrayList<>();
        try {
            NetworkInterface.networkInterfaces().forEach(networkInterface -> {
                try {
                    if (networkInterface.isLoopback() && networkInterface.isUp()) {
                        names.add(networkInterface.getName());
                    }
                } catch (SocketException e) {
                    // The interface went away during the check.
                    return;
                }
            });
        } catch (SocketException e) {
            // No interfaces at all: the list stays empty.
            return names;
        }
        Path routes = Path.of("/proc/net/route");
        if (Files.isReadable(routes)) {
            try {
                // Iface Destination Gateway …; the default route's destination is zero.
                Files.readAllLines(routes, StandardCharsets.US_ASCII).stream()
                        .map(line -> line.split("\\s+"))
                        .filter(fields -> fields.length > 1 && fields[1].equals("00000000"))
                        .map(fields -> fields[0])
                        .filter(name -> !names.contains(name))
                        .limit(1)
                        .forEach(names::add);
            } catch (IOException e) {
                // Without a routing table loopback is the only default.
                return names;
            }
        }
        return names;
    }
}
