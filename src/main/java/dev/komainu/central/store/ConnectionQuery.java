package dev.komainu.central.store;

import dev.komainu.telemetry.record.ConnectionState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query for connections. An absent value does not filter.
 *
 * @param services the service's names; empty: all services
 * @param range range that contains the connection's end
 * @param client the client's address, without port
 * @param minDurationMicros lowest T_c
 * @param minResponseMicros lowest value of the slowest T_r
 * @param target text within a request's target, as written there
 * @param limit 1 to 10,000
 * @param after {@code next} of the previous page
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

    /** Returns a query that filters by service and time only. */
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
