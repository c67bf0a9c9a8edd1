package dev.komainu.agent.packet;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Settings of a live capture.
 *
 * <pre>
 *  capture.interfaces  names            loopback and the default route's; "any" for all
 *  capture.snaplen     96 to 65535 B    bytes kept of a packet; a request's head must fit to be read
 *  capture.buffer      1 MB to 1 GB     the kernel's ring, for each interface and thread; too small loses bursts
 *  capture.threads     1 to 8           threads that share the connections; more than one adds the cost of joining
 * </pre>
 *
 * @param interfaces at least one
 * @param ports of the watched servers; empty: every TCP packet
 * @param mirror whether the packets are copies of other hosts' packets, perhaps several of one
 * @param threads number of reading threads
 */
public record LiveCaptureConfig(
        List<String> interfaces,
        Set<Integer> ports,
        int snaplen,
        int bufferBytes,
        boolean mirror,
        int threads) {

    public static final int DEFAULT_SNAPLEN = 2_048;
    public static final int DEFAULT_BUFFER_BYTES = 64 << 20;
    public static final int MOST_THREADS = 8;

    /**
     * Checks the settings.
     *
     * @throws IllegalArgumentException listing every setting that is out of range
     */
    public LiveCaptureConfig {
        interfaces = List.copyOf(interfaces);
        ports = Set.copyOf(ports);
        List<String> problems = new ArrayList<>();
        if (interfaces.isEmpty()) {
            problems.add("capture.interfaces: none (expected: at least one)");
        }
        if (snaplen < 96 || snaplen > 65_535) {
            problems.add("capture.snaplen: " + snaplen + " (expected: 96 to 65535)");
        }
        if (bufferBytes < 1 << 20 || bufferBytes > 1 << 30) {
            problems.add("capture.buffer: " + bufferBytes + " (expected: 1048576 to 1073741824)");
        }
        if (threads < 1 || threads > MOST_THREADS) {
            problems.add("capture.threads: " + threads + " (expected: 1 to " + MOST_THREADS + ")");
        }
        for (int port : ports) {
            if (port < 1 || port > 65_535) {
                problems.add("capture.ports: " + port + " (expected: 1 to 65535)");
            }
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    public LiveCaptureConfig(List<String> interfaces, Set<Integer> ports) {
        this(interfaces, ports, DEFAULT_SNAPLEN, DEFAULT_BUFFER_BYTES);
    }

    public LiveCaptureConfig(
            List<String> interfaces, Set<Integer> ports, int snaplen, int bufferBytes) {
        this(interfaces, ports, snaplen, bufferBytes, false, 1);
    }

    /** Returns a copy with another {@code threads}. */
    public LiveCaptureConfig withThreads(int number) {
        return new LiveCaptureConfig(interfaces, ports, snaplen, bufferBytes, mirror, number);
    }
}
