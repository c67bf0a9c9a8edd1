package dev.komainu.intermediary.control;

import java.util.Map;

/** The page {@code POST /control/v1/reload} of a proxy and of an organizer. */
public final class ReloadPage {

    private ReloadPage() {}

    /**
     * Reloads the configuration and sends the result. Method and authorization were checked before.
     *
     * @throws IllegalArgumentException with a parameter, its value and the expected values
     */
    public static void serve(
            ControlExchange exchange, QueryParameters query, ConfigurationReload reload) {
        boolean dry = query.truth("dryRun");
        query.refuseUnknown();
        ConfigurationReload.Report report = reload.reload(dry);
        if (report.problems().isEmpty()) {
            ControlResponse.send(exchange, 200, report.members());
        } else {
            ControlResponse.problem(
                    exchange,
                    422,
                    "Unprocessable Content",
                    report.problems().size() == 1
                            ? "A mistake; nothing has changed"
                            : report.problems().size() + " mistakes; nothing has changed",
                    Map.of("problems", report.problems()));
        }
    }
}
