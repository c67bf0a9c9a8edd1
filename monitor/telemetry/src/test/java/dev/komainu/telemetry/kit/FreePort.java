package dev.komainu.telemetry.kit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Free ports for processes that need their port before they listen. */
public final class FreePort {

    private static final Set<Integer> USED = ConcurrentHashMap.newKeySet();

    private FreePort() {}

    /** Returns a port at 127.0.0.1. */
    public static int freePort() {
        return freePort(InetAddress.getLoopbackAddress());
    }

    /**
     * Returns a different port each time, below the ports that the kernel assigns to outgoing
     * connections: a process that starts needs its port seconds later.
     */
    public static int freePort(InetAddress address) {
        for (int tries = 0; tries < 1_000; tries++) {
            int port = ThreadLocalRandom.current().nextInt(15_000, 30_000);
            try (ServerSocket socket = new ServerSocket(port, 1, address)) {
                if (USED.add(port)) {
                    return socket.getLocalPort();
                }
            } catch (IOException e) {
                // The port is in use.
            }
        }
        throw new IllegalStateException("No port of 15000 to 30000 is free at " + address);
    }
}
