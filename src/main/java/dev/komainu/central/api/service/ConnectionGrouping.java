package dev.komainu.central.api.service;

import dev.komainu.telemetry.record.ConnectionRecord;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The property by which the connections of a service are grouped. */
enum ConnectionGrouping {
    /** The client's address, without port. */
    CLIENT,
    /**
     * The targets of the requests, without their queries. A connection belongs to the group of each
     * of its targets.
     */
    TARGET,
    /** The state of the connection. */
    STATE;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the groups of a connection. A connection without a readable target has none. */
    Set<String> groupsOf(ConnectionRecord connection) {
        return switch (this) {
            case CLIENT -> Set.of(connection.client().address().getHostAddress());
            case STATE -> Set.of(connection.state().label());
            case TARGET ->
                connection.exchanges().stream()
                        .filter(exchange -> exchange.target() != null)
                        .map(exchange -> exchange.target())
                        .collect(Collectors.toSet());
        };
    }
}
