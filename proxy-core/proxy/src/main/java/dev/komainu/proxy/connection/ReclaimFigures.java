package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import java.util.List;

/**
 * The figures of idle connections and the resources that they use, as of the last second.
 *
 * @param enabled whether idle connections are closed before their timeout
 * @param clientIdleMillis the present idle timeout of clients
 * @param levels the resources, in a fixed order
 * @param clientAges the idle clients by age: below each of {@link #AGE_SECONDS}, then the rest
 * @param originAges the parked connections to origins by age, in the same classes
 * @param closed the idle connections closed by the proxy since start
 */
public record ReclaimFigures(
        boolean enabled,
        long clientIdleMillis,
        List<Level> levels,
        List<Integer> clientAges,
        List<Integer> originAges,
        List<Closed> closed) {

    /** The upper bounds of the age classes, in seconds. */
    public static final List<Integer> AGE_SECONDS = List.of(1, 5, 15, 60, 300);

    /**
     * The level of one resource.
     *
     * @param limit 0 when it is unknown here
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
