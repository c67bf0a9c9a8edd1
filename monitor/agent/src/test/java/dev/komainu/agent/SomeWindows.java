package dev.komainu.agent;

import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.ServiceWindow;

/** Windows of one second for tests. */
final class SomeWindows {

    private SomeWindows() {}

    /** Returns a window with only a SYN. */
    static ServiceWindow synOnly(String service, long second) {
        return of(service, second, 1, 0);
    }

    /** Returns a window with ten bytes from the server. */
    static ServiceWindow responding(String service, long second) {
        return of(service, second, 2, 10);
    }

    /** Returns a window without packets. */
    static ServiceWindow silent(String service, long second) {
        return of(service, second, 0, 0);
    }

    private static ServiceWindow of(String service, long second, long upPackets, long downBytes) {
        Distribution none = Distribution.empty();
        return new ServiceWindow(
                service,
                second * 1_000_000,
                1_000_000,
                new ServiceWindow.Connections(upPackets, 0, 0, 0, 0, 0, 0),
                new ServiceWindow.Exchanges(0, 0, 0),
                new ServiceWindow.Concurrency(0, 0, 0),
                new ServiceWindow.Packets(
                        new DirectionTotals(upPackets, 40 * upPackets, 0, 0, 0, 0, 0),
                        new DirectionTotals(
                                downBytes > 0 ? 1 : 0,
                                40 + downBytes,
                                downBytes,
                                downBytes,
                                0,
                                0,
                                0),
                        0,
                        upPackets,
                        0,
                        0),
                new ServiceWindow.Times(none, none, none),
                null);
    }
}
