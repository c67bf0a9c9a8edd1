package dev.komainu.central.caches;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A proxy's idle connections by age, and the resources whose shortage closes the oldest (its
 * control endpoint, Reclaim; spec section 2).
 *
 * @param enabled whether idle connections are closed before their timeout
 * @param clientIdleMillis present idle timeout of client connections
 * @param ageSeconds upper bounds of the classes of age; the last class has none
 * @param idleClients connections in each class
 * @param closed idle connections the proxy closed since its start
 */
public record IdleConnections(
        boolean enabled,
        long clientIdleMillis,
        List<Resource> resources,
        List<Integer> ageSeconds,
        List<Long> idleClients,
        List<Long> idleOrigins,
        List<Closed> closed) {

    /**
     * A limited resource.
     *
     * @param used absent when it cannot be measured
     * @param scarce whether it exceeded its upper threshold and is not yet below the lower one
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    public record Resource(
            String resource,
            @Nullable Long used,
            @Nullable Long limit,
            double beginPercent,
            double endPercent,
            @JsonProperty("short") boolean scarce) {}

    /**
     * A count of closed idle connections.
     *
     * @param side client or origin
     * @param reason time, newcomer, or a resource
     */
    public record Closed(String side, String reason, long count) {}
}
