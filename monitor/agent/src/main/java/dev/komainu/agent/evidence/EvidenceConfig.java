package dev.komainu.agent.evidence;

import java.nio.file.Path;

/**
 * Where evidence is kept and how much.
 *
 * <pre>
 *  dump.file      path              none     kept only where it is given
 *  dump.size      1 MB to 16 GB     64 MB    both files together; the oldest half goes when it is reached
 *  dump.payload   0 to 65535 B      0        of each packet behind its TCP header; more shows what clients said
 * </pre>
 *
 * @param file the newest half; {@code file.1} is the half before
 * @param bytes both files together never take more
 * @param payloadBytes kept behind each TCP header, as far as the capture's snaplen has them
 * @param maskClients keep the client's network only: 24 bits of IPv4, 48 of IPv6; checksums stay those of the real address
 */
public record EvidenceConfig(Path file, long bytes, int payloadBytes, boolean maskClients) {

    public static final long DEFAULT_BYTES = 64L << 20;
    public static final long LEAST_BYTES = 1L << 20;
    public static final long MOST_BYTES = 16L << 30;
    public static final int MOST_PAYLOAD = 65_535;

    /** @throws IllegalArgumentException when a value is out of range */
    public EvidenceConfig {
        if (bytes < LEAST_BYTES || bytes > MOST_BYTES) {
            throw new IllegalArgumentException("dump.size: " + bytes + " (expected: 1MB to 16GB)");
        }
        if (payloadBytes < 0 || payloadBytes > MOST_PAYLOAD) {
            throw new IllegalArgumentException("dump.payload: " + payloadBytes + " (expected: 0 to 65535 bytes)");
        }
    }

    /** The half before the newest. */
    public Path older() {
        return older(file);
    }

    /** Clients as they are. */
    public EvidenceConfig(Path file, long bytes, int payloadBytes) {
        this(file, bytes, payloadBytes, false);
    }

    static Path older(Path newest) {
        return newest.resolveSibling(newest.getFileName() + ".1");
    }
}
