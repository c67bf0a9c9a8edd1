package dev.komainu.central.indices;

import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.function.Function;

/** The components of T_r that a monitor between client and server can separate. */
enum RoundTrip {
    SERVER(w -> w.times().roundTrips().server()),
    CLIENT(w -> w.times().roundTrips().client()),
    ACKNOWLEDGEMENT(w -> w.times().roundTrips().acknowledgement()),
    THINK(w -> w.times().roundTrips().think());

    private final Function<ServiceWindow, Distribution> field;

    RoundTrip(Function<ServiceWindow, Distribution> field) {
        this.field = field;
    }

    Distribution of(ServiceWindow window) {
        return field.apply(window);
    }
}
