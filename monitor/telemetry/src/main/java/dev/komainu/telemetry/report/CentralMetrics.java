package dev.komainu.telemetry.report;

import dev.komainu.telemetry.metrics.MetricFamily;
import dev.komainu.telemetry.metrics.PublishedMetrics;
import java.util.List;
import java.util.function.Supplier;

/** The metrics of the way to the central service, the same for each part. */
public final class CentralMetrics {

    private CentralMetrics() {}

    /**
     * Returns the metrics of a reporter.
     *
     * @param prefix begins each name, such as {@code komainu_proxy_}
     */
    public static PublishedMetrics<?> of(String prefix, Supplier<ReporterStatus> status) {
        return new PublishedMetrics<ReporterStatus>(
                prefix, status, meters -> meters.families(CentralMetrics::families));
    }

    /** Returns the families of a status. */
    public static List<MetricFamily> families(ReporterStatus status) {
        return List.of(
                MetricFamily.gauge(
                                "central_address",
                                "1 for the address of the central service in use.")
                        .sample(1, "address", status.central()),
                MetricFamily.counter(
                                "central_address_changes",
                                "Times that another address of the central service came into use.")
                        .sample(status.centralChanges()));
    }
}
