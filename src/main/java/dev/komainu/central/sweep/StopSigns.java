package dev.komainu.central.sweep;

import java.util.function.DoublePredicate;

/** The measurements without which no stop is considered: refusals, no process, no packet. */
final class StopSigns {

    private StopSigns() {}

    /** Reports whether a service ever had one of them; true when one is not read any more. */
    static boolean in(ServiceColumns service) {
        return any(service, "refusedPerSecond", value -> value > 0)
                || any(service, "serverProcesses", value -> value == 0)
                || (any(service, "serverPacketsPerSecond", value -> value == 0)
                        && (any(service, "synRepeatsPerSecond", value -> value > 0)
                                || any(service, "connectionsPerSecond", value -> value > 0)));
    }

    private static boolean any(ServiceColumns service, String measure, DoublePredicate value) {
        ValueColumn column = service.column(measure, 1);
        return column == null || column.ever(value);
    }
}
