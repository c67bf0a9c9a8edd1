package dev.komainu.agent.connection;

import dev.komainu.telemetry.record.Endpoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says which servers are watched and what they are called. Asked once for each new server address,
 * on the source's thread.
 */
@FunctionalInterface
public interface ServiceNames {

    /**
     * @return the service's id, such as {@code web-01:80}, or null when this server is not watched
     */
    @Nullable
    String nameOf(Endpoint server);

    /** Whether {@link #originSideOf} ever gives anything. Asked for each new connection. */
    default boolean hasOriginSides() {
        return false;
    }

    /**
     * @return the id of the proxy's origin side that this connection belongs to besides, or null
     */
    default @Nullable String originSideOf(Endpoint client, Endpoint server) {
        return null;
    }

    /**
     * Another value than before makes the analyzer ask anew: watched servers have come or gone.
     * Asked often.
     */
    default int generation() {
        return 0;
    }

    /**
     * Services that get windows also while no packet of theirs was ever seen. Asked once a window.
     */
    default List<String> always() {
        return List.of();
    }
}
