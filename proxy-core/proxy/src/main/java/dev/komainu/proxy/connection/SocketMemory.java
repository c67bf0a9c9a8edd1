package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The memory of all TCP sockets of this machine, in pages, against the limit at which the kernel
 * starts to reduce windows (the second number of {@code net.ipv4.tcp_mem}; beyond the third it
 * drops segments). An idle socket uses almost none; unread or unsolicited bytes of its peer are
 * freed with it.
 */
public final class SocketMemory implements LimitedResource {

    private final Path sockets;
    private final Path limits;

    public SocketMemory() {
        this(Path.of("/proc/net/sockstat"), Path.of("/proc/sys/net/ipv4/tcp_mem"));
    }

    SocketMemory(Path sockets, Path limits) {
        this.sockets = sockets;
        this.limits = limits;
    }

    @Override
    public CloseReason reason() {
        return CloseReason.SOCKET_MEMORY;
    }

    @Override
    public boolean countsConnections() {
        return false;
    }

    @Override
    public ResourceUse read() {
        try {
            long pressure = Long.parseLong(Files.readString(limits).strip().split("\\s+")[1]);
            for (String line : Files.readAllLines(sockets)) {
                if (line.startsWith("TCP:")) {
                    String[] words = line.split(" ");
                    for (int i = 1; i + 1 < words.length; i += 2) {
                        if (words[i].equals("mem")) {
                            return new ResourceUse(Long.parseLong(words[i + 1]), pressure);
                        }
                    }
                }
            }
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException absent) {
            // reported below
        }
        return ResourceUse.UNKNOWN;
    }
}
