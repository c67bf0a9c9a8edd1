package dev.komainu.telemetry.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change that the central service orders an agent to carry out on its host: a value of a
 * setting, never a command.
 *
 * <p>It is sent signed ({@code dev.komainu.telemetry.wire.SignedOrder}). The agent determines the
 * setting's file and the way to activate it from its own discovery.
 *
 * @param id 32 hexadecimal digits, never reused
 * @param node the only host it applies to
 * @param service the watched server's id on that host
 * @param issuedMicros time of issue
 * @param expiresMicros time of expiry
 * @param setting the server's own name of the setting, {@code sysctl:NAME} or {@code limit:nofile}
 * @param expected the value that must be set now, as reported by discovery
 * @param wanted the new value; absent when an earlier order is undone
 * @param then the action that makes it take effect
 * @param restores the order that is undone: the content it replaced is restored byte for byte
 * @param companions values of the same file that change together with this one; none with
 *     {@code restores}, which restores the whole file
 * @param epoch epoch of the central service that signed it; 0: that service has none. The agent
 *     refuses it if it has accepted one of a newer epoch
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
        @Nullable String restores,
        List<Companion> companions,
        long epoch) {

    public Order {
        companions = List.copyOf(companions);
    }

    /** Creates an order of one value by a service that has no epoch. */
    public Order(
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
        this(
                id,
                node,
                service,
                issuedMicros,
                expiresMicros,
                setting,
                expected,
                wanted,
                then,
                restores,
                List.of(),
                0);
    }

    /** Returns the same order by a service of another epoch. */
    public Order withEpoch(long other) {
        return new Order(
                id,
                node,
                service,
                issuedMicros,
                expiresMicros,
                setting,
                expected,
                wanted,
                then,
                restores,
                companions,
                other);
    }

    /**
     * A value that must change with the order's own, such as a maximum above it.
     *
     * @param setting the server's own name of the setting
     * @param expected the value that must be set now, as reported by discovery
     * @param wanted the new value
     */
    public record Companion(String setting, String expected, String wanted) {}

    /** The action that makes a written value take effect. */
    public enum Then {
        NOTHING,
        RELOAD,
        RESTART
    }
}
