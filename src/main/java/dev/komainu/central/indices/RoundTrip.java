package dev.komainu.central.indices;

import dev.komainu.telemetry.record.ClientPaths;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.function.Function;

/** The components of T_r that a monitor between client and server can separate. */
enum RoundTrip {
    SERVER(w -> w.times().roundTrips().server()),
    CLIENT(w -> w.times().roundTrips().client()),
    ACKNOWLEDGEMENT(w -> w.times().roundTrips().acknowledgement()),
    THINK(w -> w.times().roundTrips().think()),
    /** From a data segment to the client's acknowledgement. */
    CLIENT_DATA(w -> paths(w).roundTrip()),
    /** Bytes per second that clients acknowledged, in place of a time. */
    DELIVERY_RATE(w -> paths(w).deliveryRate());

    private final Function<ServiceWindow, Distribution> field;

    RoundTrip(Function<ServiceWindow, Distribution> field) {
        this.field = field;
    }

    private static ClientPaths paths(ServiceWindow window) {
        ClientPaths paths = window.clientPaths();
        return paths == null ? ClientPaths.NONE : paths;
    }

    Distribution of(ServiceWindow window) {
        return field.apply(window);
    }
}
