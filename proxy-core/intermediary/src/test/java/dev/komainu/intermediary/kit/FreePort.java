package dev.komainu.intermediary.kit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for those that must be told theirs before they listen. */
public final class FreePort {

    private static final Set<Integer> USED = ConcurrentHashMap.newKeySet();

    private FreePort() {}

    /** At 127.0.0.1. */
    public static int freePort() {
        return freePort(InetAddress.getLoopbackAddress());
    }

    /**
     * Another one each time, and below those that the kernel gives to whoever connects: a process
     * that starts needs its port seconds later.
     */
    public static int freePort(InetAddress address) {
        for (int tries = 0; tries < 1_000; tries++) {
            int port = ThreadLocalRandom.current().nextInt(15_000, 30_000);
            try (ServerSocket socket = new ServerSocket(port, 1, address)) {
                if (USED.add(port)) {
                    return socket.getLocalPort();
                }
            } catch (IOException e) {
                // Somebody has it.
            }
        }
        throw new IllegalStateException("No port of 15000 to 30000 is free at " + address);
    }
}
