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

    private static double arriving(FormulaInputs lens, long end, int over) {
        return lens.either(ProxyColumn.REQUESTS, PacketColumn.REQUESTS, end, over);
    }

    private static double processed(FormulaInputs lens, long end, int over) {
        return lens.either(ProxyColumn.RESPONSES, PacketColumn.RESPONSES, end, over);
    }

    /**
     * Returns the connections to upstream servers that count among a server's own. Where that side
     * is not watched, each request in progress counts as one.
     */
    static double passedOn(FormulaInputs lens, long end, int over) {
        if (!lens.limits().passesOn()) {
            return 0;
        }
        double seen = lens.origin(PacketColumn.CONCURRENT, end, over);
        return Double.isNaN(seen) ? known(lens.packets(PacketColumn.PROCESSING, end, over)) : seen;
    }

    /** Requests under way against those that the usual response time explains, by Little's law. */
    private static double underWay(FormulaInputs lens, long end, int over) {
        if (!lens.baseline().ready()) {
            return Double.NaN;
        }
        double explained = arriving(lens, end, over) * lens.baseline().responseMillis() / 1_000;
        return lens.seenElseOwn(PacketColumn.PROCESSING, ProxyColumn.IN_FLIGHT, end, over)
                / Math.max(1, explained);
    }

    /**
     * Requests that came and were neither answered, nor given up by a reset of the client's, nor
     * are under way still. For agents that do not count unanswered requests; of the others that
     * count is better.
     */
    private static double vanished(FormulaInputs lens, long end, int over) {
        if (!Double.isNaN(lens.packets(PacketColumn.UNANSWERED, end, over))) {
            return Double.NaN;
        }
        double before = lens.packets(PacketColumn.PROCESSING, end - over, 1);
        double grown = (lens.packets(PacketColumn.PROCESSING, end, 1) - before) / over;
        double left = lens.packets(PacketColumn.RESETS, end, over)
                - lens.packets(PacketColumn.SERVER_RESETS, end, over);
        return Math.max(0, arriving(lens, end, over) - processed(lens, end, over) - grown - left);
    }

    private static double unplanned(FormulaInputs lens, long end, int over) {
        double errors = lens.either(ProxyColumn.ERRORS, PacketColumn.ERRORS, end, over);
        return Math.max(
                0, errors - known(lens.packets(PacketColumn.DELIBERATE_UNAVAILABLE, end, over)));
    }

    private static double failed(FormulaInputs lens, long end, int over) {
        return unplanned(lens, end, over) + known(lens.packets(PacketColumn.UNANSWERED, end, over));
    }

    /** Requests that ended, with an answer or without. */
    private static double ended(FormulaInputs lens, long end, int over) {
        return processed(lens, end, over) + known(lens.packets(PacketColumn.UNANSWERED, end, over));
    }

    private static double usualFailures(FormulaInputs lens) {
        return lens.baseline().ready() ? known(lens.baseline().failureShare()) : 0;
    }

    private static double known(double value) {
        return Double.isNaN(value) ? 0 : value;
    }
}
