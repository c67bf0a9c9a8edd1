package dev.komainu.central.caches;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A proxy's idle connections by age, and the resources for which the oldest give way (its control
 * endpoint, Reclaim; spec section 2).
 *
 * @param enabled whether idle connections are closed before their time
 * @param clientIdleMillis how long idle clients stay now
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
     * Something that runs out.
     *
     * @param used absent where it cannot be told
     * @param scarce beyond its threshold, and not below the other yet
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
     * @param side client or origin
     * @param reason time, newcomer, or a resource
     */
    public record Closed(String side, String reason, long count) {}
}
