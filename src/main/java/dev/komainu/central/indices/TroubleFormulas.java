package dev.komainu.central.indices;

import static dev.komainu.central.indices.Formulas.share;

import dev.komainu.central.indices.Formulas.Formula;
import java.util.Map;

/**
 * The formulas of failing service: the served share of arrivals, the failures beyond the usual
 * share, the lost requests. Where an agent does not count unanswered requests, they count as zero.
 */
final class TroubleFormulas {

    private TroubleFormulas() {}

    static void addTo(Map<String, Formula> all) {
        all.put("carriedShare", (l, e, n) -> share(processed(l, e, n), arriving(l, e, n)));
        all.put("underWayRatio", TroubleFormulas::underWay);
        all.put("vanishedPerSecond", TroubleFormulas::vanished);
        all.put("vanishedShare", (l, e, n) -> share(vanished(l, e, n), arriving(l, e, n)));
        all.put("unplannedErrorsPerSecond", TroubleFormulas::unplanned);
        all.put("unplannedErrorShare", (l, e, n) -> share(unplanned(l, e, n), processed(l, e, n)));
        all.put(
                "failureExcessPerSecond",
                (l, e, n) -> failed(l, e, n) - usualFailures(l) * ended(l, e, n));
        all.put(
                "failureExcessShare",
                (l, e, n) -> share(failed(l, e, n), ended(l, e, n)) - usualFailures(l));
        all.put(
                "refusedShare",
                (l, e, n) -> share(
                        l.packets(PacketColumn.REFUSED, e, n),
                        l.packets(PacketColumn.CONNECTIONS, e, n)));
        all.put(
                "serverProcessesRatio",
                (l, e, n) -> l.baseline().ready()
                        ? share(
                                l.server(ServerColumn.PROCESSES, e, n),
                                l.baseline().processes())
                        : Double.NaN);
    }

    /**
     * Returns the requests that arrive. A connection that waits for accept() brings at least one,
     * which cannot be seen within TLS.
     */
    private static double arriving(FormulaInputs inputs, long end, int over) {
        double requests =
                inputs.ownElsePackets(ProxyColumn.REQUESTS, PacketColumn.REQUESTS, end, over);
        return inputs.unacceptedConnections(end, over) > 0
                ? Math.max(requests, inputs.packets(PacketColumn.CONNECTIONS, end, over))
                : requests;
    }

    private static double processed(FormulaInputs inputs, long end, int over) {
        return inputs.ownElsePackets(ProxyColumn.RESPONSES, PacketColumn.RESPONSES, end, over);
    }

    /**
     * Returns the connections to upstream servers that count among a server's own. Where that side
     * is not watched, each request in progress counts as one.
     */
    static double passedOn(FormulaInputs inputs, long end, int over) {
        if (!inputs.limits().passesOn()) {
            return 0;
        }
        double measured = inputs.origin(PacketColumn.CONCURRENT, end, over);
        return Double.isNaN(measured)
                ? orZero(inputs.packets(PacketColumn.PROCESSING, end, over))
                : measured;
    }

    /**
     * Returns the requests in progress, divided by the number that the usual response time
     * explains, by Little's law.
     */
    private static double underWay(FormulaInputs inputs, long end, int over) {
        if (!inputs.baseline().ready()) {
            return Double.NaN;
        }
        double explained = arriving(inputs, end, over) * inputs.baseline().responseMillis() / 1_000;
        double seen =
                Math.max(inputs.inProgress(end, over), inputs.unacceptedConnections(end, over));
        // Within TLS requests in progress cannot be seen; those that wait on the origin side can.
        double behind = orZero(inputs.origin(PacketColumn.PROCESSING, end, over));
        return Math.max(seen, behind) / Math.max(1, explained);
    }

    /**
     * Returns the requests that arrived and neither were answered, nor were given up by a reset of
     * the client, nor are still in progress. Only for agents that do not count unanswered requests;
     * {@code NaN} for others, whose count is more exact.
     */
    private static double vanished(FormulaInputs inputs, long end, int over) {
        if (!Double.isNaN(inputs.packets(PacketColumn.UNANSWERED, end, over))) {
            return Double.NaN;
        }
        double before = inputs.packets(PacketColumn.PROCESSING, end - over, 1);
        double grown = (inputs.packets(PacketColumn.PROCESSING, end, 1) - before) / over;
        double left = inputs.packets(PacketColumn.RESETS, end, over)
                - inputs.packets(PacketColumn.SERVER_RESETS, end, over);
        return Math.max(
                0, arriving(inputs, end, over) - processed(inputs, end, over) - grown - left);
    }

    private static double unplanned(FormulaInputs inputs, long end, int over) {
        double errors = inputs.ownElsePackets(ProxyColumn.ERRORS, PacketColumn.ERRORS, end, over);
        return Math.max(
                0, errors - orZero(inputs.packets(PacketColumn.DELIBERATE_UNAVAILABLE, end, over)));
    }

    private static double failed(FormulaInputs inputs, long end, int over) {
        return unplanned(inputs, end, over)
                + orZero(inputs.packets(PacketColumn.UNANSWERED, end, over));
    }

    /** Returns the requests that ended, with or without a response. */
    private static double ended(FormulaInputs inputs, long end, int over) {
        return processed(inputs, end, over)
                + orZero(inputs.packets(PacketColumn.UNANSWERED, end, over));
    }

    private static double usualFailures(FormulaInputs inputs) {
        return inputs.baseline().ready() ? orZero(inputs.baseline().failureShare()) : 0;
    }

    private static double orZero(double value) {
        return Double.isNaN(value) ? 0 : value;
    }
}
