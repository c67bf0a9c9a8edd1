package dev.komainu.central.store;

import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query for exchanges of Komainu's proxies. An absent value does not filter.
 *
 * @param services the proxy's names; empty: all proxies
 * @param range range that contains the response's last byte
 * @param client the client's address, without port
 * @param minResponseMicros lowest time to first byte
 * @param target text within the target, as written there
 * @param limit 1 to 10,000
 * @param after {@code next} of the previous page
 */
public record ExchangeQuery(
        List<String> services,
        TimeRange range,
        @Nullable CacheOutcome outcome,
        @Nullable String client,
        @Nullable Long minResponseMicros,
        @Nullable String target,
        int limit,
        @Nullable String after) {

    public ExchangeQuery {
        services = List.copyOf(services);
        if (limit < 1 || limit > 10_000) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: 1 to 10000)");
        }
    }

    /** Returns a query that filters by proxy and time only. */
    public static ExchangeQuery of(List<String> services, TimeRange range, int limit) {
        return new ExchangeQuery(services, range, null, null, null, null, limit, null);
    }

    public ExchangeQuery after(@Nullable String key) {
        return new ExchangeQuery(
                services, range, outcome, client, minResponseMicros, target, limit, key);
    }
}
