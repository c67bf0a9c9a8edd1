package dev.komainu.telemetry.record;

import org.jspecify.annotations.Nullable;

/**
 * One change that the central service asks an agent to carry out on its host: a value of a setting,
 * never a command.
 *
 * <p>It travels signed ({@code dev.komainu.telemetry.wire.SignedOrder}); the agent decides itself
 * which file the setting stands in and how the server is told, from what it discovered.
 *
 * @param id 32 hexadecimal digits, never used again
 * @param node the host it is for, and no other
 * @param service the watched server's id there
 * @param issuedMicros when it was given
 * @param expiresMicros when it is void
 * @param setting the server's own name, {@code sysctl:NAME} or {@code limit:nofile}
 * @param expected the value that must stand there now, as discovery told it
 * @param wanted the value that shall; absent where an earlier order is undone
 * @param then what makes it take effect
 * @param restores the order that is undone: what it replaced is put back byte for byte
 */
public record Order(
        String id,
        String node,
        String service,
        long issuedMicros,
        long expiresMicros,
        String setting,
        String expected,
        @Nullable String wanted,
        Then then,
        @Nullable String restores) {

    /** What makes a written value take effect. */
    public enum Then {
        NOTHING,
        RELOAD,
        RESTART
    }
}
