package dev.komainu.telemetry.record;

import java.util.function.Function;

/**
 * Distributions of a {@link ServiceWindow} to which each connection contributes. The order is part
 * of the format of {@link ConnectionParts}: constants are only appended, and never removed.
 */
public enum PartTimes {
    RESPONSE(window -> window.times().response()),
    TRANSFER(window -> window.times().transfer()),
    CONNECTION(window -> window.times().connection()),
    SERVER_ROUND_TRIP(window -> window.times().roundTrips().server()),
    CLIENT_ROUND_TRIP(window -> window.times().roundTrips().client()),
    ACKNOWLEDGEMENT(window -> window.times().roundTrips().acknowledgement()),
    THINK(window -> window.times().roundTrips().think()),
    PATH_ROUND_TRIP(path(ClientPaths::roundTrip)),
    /** Bytes per second. */
    PATH_DELIVERY_RATE(path(ClientPaths::deliveryRate));

    /** Number of distributions. */
    static final int COUNT = values().length;

    private final Function<ServiceWindow, Distribution> inWindow;

    PartTimes(Function<ServiceWindow, Distribution> inWindow) {
        this.inWindow = inWindow;
    }

    /** Returns the distribution in a window. */
    public Distribution of(ServiceWindow window) {
        return inWindow.apply(window);
    }

    /** Returns the cell of a value in {@link ConnectionParts}. */
    public int cellOf(long value) {
        return ConnectionParts.FIRST_TIMES
                + ordinal() * Distribution.BUCKETS
                + Distribution.bucketOf(value);
    }

    private static Function<ServiceWindow, Distribution> path(
            Function<ClientPaths, Distribution> times) {
        return window -> {
            ClientPaths paths = window.clientPaths();
            return paths == null ? Distribution.empty() : times.apply(paths);
        };
    }
}
