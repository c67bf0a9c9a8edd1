package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import java.util.List;

/**
 * What is known of idle connections and the resources they hold, as of the last second.
 *
 * @param enabled whether idle connections are closed before their time
 * @param clientIdleMillis how long idle clients stay now
 * @param levels of the resources, in a fixed order
 * @param clientAges idle clients by age: below each of {@link #AGE_SECONDS}, then the rest
 * @param originAges parked connections to origins likewise
 * @param closed idle connections closed by the proxy since start
 */
public record ReclaimFigures(
        boolean enabled,
        long clientIdleMillis,
        List<Level> levels,
        List<Integer> clientAges,
        List<Integer> originAges,
        List<Closed> closed) {

    /** Upper bounds of the classes of age, in seconds. */
    public static final List<Integer> AGE_SECONDS = List.of(1, 5, 15, 60, 300);

    /**
     * How much of a resource is in use.
     *
     * @param limit 0: it cannot be told here
     * @param isShort whether idle connections are closed for it now; with
     *     {@code connections.reclaim} off: would be
     */
    public record Level(
            CloseReason resource,
            long used,
            long limit,
            ShortageThreshold threshold,
            boolean isShort) {}

    public record Closed(ConnectionSide side, CloseReason why, long count) {}

    static ReclaimFigures none(ReclaimSettings settings) {
        return new ReclaimFigures(
                settings.enabled(), 0, List.of(), List.of(), List.of(), List.of());
    }
}
