package dev.komainu.central.api.service;

import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.QueryChoice;
import dev.komainu.central.api.page.QueryRange;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.store.ConnectionQuery;
import dev.komainu.central.store.TimeRange;
import dev.komainu.telemetry.record.ConnectionState;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The parameters that select connections of a service; an absent one does not filter. */
record ConnectionFilter(
        @Nullable Instant from,
        @Nullable Instant to,
        @Nullable String state,
        @Nullable String client,
        @Nullable String target,
        @Nullable Double minResponseMillis,
        @Nullable Integer limit,
        @Nullable String cursor) {

    private static final int USUAL_SECONDS = 900;

    /**
     * Returns the query of these parameters.
     *
     * @throws ProblemException 400 with the parameter that is out of its range
     */
    ConnectionQuery query(ServiceProfile profile, Instant now, int usualLimit) {
        Instant end = to == null ? now : to;
        Instant begin = from == null ? end.minusSeconds(USUAL_SECONDS) : from;
        if (!begin.isBefore(end)) {
            throw ProblemException.invalidField("from", begin, "an instant before " + end);
        }
        QueryRange.check(begin, end);
        Double millis = minResponseMillis;
        if (millis != null && !(millis >= 0 && millis <= 86_400_000)) {
            throw ProblemException.invalidField("minResponseMillis", millis, "0 to 86400000");
        }
        try {
            return new ConnectionQuery(
                    names(profile),
                    TimeRange.of(begin, end),
                    state(state),
                    address(client),
                    null,
                    millis == null ? null : Math.round(millis * 1_000),
                    target == null || target.isEmpty() ? null : target,
                    Cursor.limit(limit == null ? usualLimit : limit),
                    cursor == null ? null : Cursor.decode(cursor));
        } catch (ArithmeticException e) {
            throw ProblemException.invalidField("from", begin, "an instant of this age");
        }
    }

    /**
     * Returns the names of a service at its own agent and at probes elsewhere. A loopback address
     * is excluded, since it can belong to any host.
     */
    private static List<String> names(ServiceProfile profile) {
        return Stream.concat(
                        Stream.of(profile.id()),
                        profile.addresses().stream()
                                .filter(address -> !address.address().isLoopbackAddress())
                                .map(Object::toString))
                .distinct()
                .toList();
    }

    private static @Nullable ConnectionState state(@Nullable String label) {
        if (label == null || label.isEmpty()) {
            return null;
        }
        return QueryChoice.of("state", label, ConnectionState.values(), ConnectionState::label);
    }

    private static @Nullable String address(@Nullable String client) {
        if (client == null || client.isEmpty()) {
            return null;
        }
        try {
            return InetAddress.ofLiteral(client).getHostAddress();
        } catch (IllegalArgumentException e) {
            throw ProblemException.invalidField(
                    "client", client, "an IPv4 or IPv6 address without port");
        }
    }
}
