package dev.komainu.central.store;

import dev.komainu.telemetry.record.ConnectionState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query for connections. An absent value does not filter.
 *
 * @param services the service's names; empty: all services
 * @param range the connection's end lies in it
 * @param client the client's address, without port
 * @param minDurationMicros T_c at least
 * @param minResponseMicros the slowest T_r at least
 * @param target text within a request's target, as it is written
 * @param limit 1 to 10,000
 * @param after {@code next} of the page before
 */
public record ConnectionQuery(
        List<String> services,
        TimeRange range,
        @Nullable ConnectionState state,
        @Nullable String client,
        @Nullable Long minDurationMicros,
        @Nullable Long minResponseMicros,
        @Nullable String target,
        int limit,
        @Nullable String after) {

    public ConnectionQuery {
        services = List.copyOf(services);
        if (limit < 1 || limit > 10_000) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: 1 to 10000)");
        }
    }

    /** No filter but service and time. */
    public static ConnectionQuery of(List<String> services, TimeRange range, int limit) {
        return new ConnectionQuery(services, range, null, null, null, null, null, limit, null);
    }

    public ConnectionQuery after(@Nullable String key) {
        return new ConnectionQuery(
                services,
                range,
                state,
                client,
                minDurationMicros,
                minResponseMicros,
                target,
                limit,
                key);
    }
}
