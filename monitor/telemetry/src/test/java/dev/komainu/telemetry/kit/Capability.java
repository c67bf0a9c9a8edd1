package dev.komainu.telemetry.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;

/**
 * A privilege of this process, as the kernel defines it (capabilities(7)). A test names the
 * capabilities it needs, not root: root in a container has only some of them, and a user may have
 * one.
 */
public enum Capability {
    /** Change of a process's user, as servers do for their workers. */
    SETUID(7),
    /** Configuration of links, addresses, routes, queues. */
    NET_ADMIN(12),
    /** Reading of packets. */
    NET_RAW(13),
    /** Creation and use of network and mount namespaces; mounts. */
    SYS_ADMIN(21);

    private static final Path STATUS = Path.of("/proc/self/status");

    private final int bit;

    Capability(int bit) {
        this.bit = bit;
    }

    /** Reports whether this process, and those it starts, may use it. */
    public boolean isHeld() {
        return isIn(effective());
    }

    /**
     * Reports whether a mask contains it.
     *
     * @param mask such as {@code CapEff}
     */
    boolean isIn(long mask) {
        return (mask >>> bit & 1) == 1;
    }

    /**
     * Skips the test unless this process has all of them.
     *
     * @param what the purpose, such as {@code network namespaces}
     */
    public static void need(String what, Capability... all) {
        Assumptions.assumeTrue(
                missing(effective(), all).isEmpty(), () -> reason(what, missing(effective(), all)));
    }

    static String reason(String what, String missing) {
        return what + " need " + missing
                + ", which this process lacks (expected: run as root with all capabilities)";
    }

    static String missing(long mask, Capability... all) {
        return Arrays.stream(all)
                .filter(capability -> !capability.isIn(mask))
                .map(Enum::name)
                .collect(Collectors.joining(" and "));
    }

    private static long effective() {
        if (!Files.exists(STATUS)) {
            return 0;
        }
        try {
            return effective(Files.readString(STATUS));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the effective capabilities.
     *
     * @param status the text of {@code /proc/PID/status}
     */
    static long effective(String status) {
        return status.lines()
                .filter(line -> line.startsWith("CapEff:"))
                .map(line -> Long.parseUnsignedLong(
                        line.substring("CapEff:".length()).trim(), 16))
                .findFirst()
                .orElse(0L);
    }
}
