package dev.komainu.central.api.service;

import dev.komainu.central.api.service.ConnectionSummary.Group;
import dev.komainu.central.api.service.ConnectionTotals.View;
import java.util.Comparator;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The orders of groups of connections, each with the highest figure first. */
enum ConnectionOrder {
    CONNECTIONS(View::connections),
    REQUESTS(View::requests),
    BYTES(View::payloadBytes),
    FAILED(View::failed),
    P50(view -> orNone(view.responseP50Millis())),
    P95(view -> orNone(view.responseP95Millis())),
    SLOWEST(view -> orNone(view.slowestMillis()));

    private final ToDoubleFunction<View> figure;

    ConnectionOrder(ToDoubleFunction<View> figure) {
        this.figure = figure;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Groups without a measured response come last. */
    private static double orNone(@Nullable Double millis) {
        return millis == null ? -1 : millis;
    }

    Comparator<Group> thenByName() {
        return Comparator.comparingDouble((Group group) -> figure.applyAsDouble(group.total()))
                .reversed()
                .thenComparing(Group::name);
    }
}
