package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TimesGrid;
import java.time.Instant;
import java.util.List;

/** {@code ResponseTransfer} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record ResponseTransferView(
        String service,
        Instant from,
        Instant to,
        int stepsPerDecade,
        int steps,
        double firstStepMicros,
        long answers,
        boolean underLoss,
        List<TimesGrid.Cell> cells) {

    /**
     * Returns the view.
     *
     * @param windows all parts of the range, each second once
     */
    static ResponseTransferView of(
            String service, Instant from, Instant to, List<ServiceWindow> windows) {
        TimesGrid grid = TimesGrid.sum(windows.stream()
                .map(window -> window.times().responseByTransfer())
                .toList());
        return new ResponseTransferView(
                service,
                from,
                to,
                TimesGrid.STEPS_PER_DECADE,
                TimesGrid.STEPS,
                TimesGrid.fromMicros(0),
                grid.count(),
                windows.stream().anyMatch(ServiceWindow::isUnderLoss),
                grid.cells());
    }
}
