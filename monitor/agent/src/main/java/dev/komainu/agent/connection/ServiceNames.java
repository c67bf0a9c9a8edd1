package dev.komainu.agent.connection;

import dev.komainu.telemetry.record.Endpoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Names of the watched servers. Requested once for each new server address, on the source's thread.
 */
@FunctionalInterface
public interface ServiceNames {

    /**
     * Returns the service's id, such as {@code web-01:80}, or null when this server is not watched.
     */
    @Nullable
    String nameOf(Endpoint server);

    /**
     * Reports whether {@link #originSideOf} ever returns a name. Called for each new connection.
     */
    default boolean hasOriginSides() {
        return false;
    }

    /**
     * Returns the id of the proxy's origin side that this connection belongs to as well, or null.
     */
    default @Nullable String originSideOf(Endpoint client, Endpoint server) {
        return null;
    }

    /**
     * Returns the version of the names. A new value makes the analyzer request all names again:
     * watched servers were added or removed. Called often.
     */
    default int generation() {
        return 0;
    }

    /**
     * Returns the services that get windows even before their first packet. Called once a window.
     */
    default List<String> always() {
        return List.of();
    }
}
