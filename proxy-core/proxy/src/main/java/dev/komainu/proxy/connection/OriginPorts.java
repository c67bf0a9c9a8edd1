package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * The use of ephemeral ports towards one origin against {@code net.ipv4.ip_local_port_range}.
 * Different destinations share ports, so the busiest one counts.
 *
 * <p>Ports in TIME_WAIT are not counted: closing idle connections creates more of them, and a
 * reclamation that causes its own shortage would never end.
 */
public final class OriginPorts implements LimitedResource {

    private final Path range;
    private final LongSupplier mostToOne;

    /**
     * Creates the resource.
     *
     * @param mostToOne supplies the number of connections to the origin that has most of them
     */
    public OriginPorts(LongSupplier mostToOne) {
        this(Path.of("/proc/sys/net/ipv4/ip_local_port_range"), mostToOne);
    }

    OriginPorts(Path range, LongSupplier mostToOne) {
        this.range = range;
        this.mostToOne = mostToOne;
    }

    @Override
    public CloseReason reason() {
        return CloseReason.PORTS;
    }

    @Override
    public boolean countsConnections() {
        return true;
    }

    @Override
    public ResourceUse read() {
        try {
            String[] ends = Files.readString(range).strip().split("\\s+");
            return new ResourceUse(
                    mostToOne.getAsLong(), Long.parseLong(ends[1]) - Long.parseLong(ends[0]) + 1);
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException absent) {
            return ResourceUse.UNKNOWN;
        }
    }
}
