package dev.komainu.central.api;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The endpoints for Prometheus: metrics in its text format, and service discovery. */
@RestController
class PrometheusController {

    static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry;
    private final ServiceFigures figures;

    PrometheusController(PrometheusMeterRegistry registry, ServiceFigures figures) {
        this.registry = registry;
        this.figures = figures;
    }

    /** One entry of HTTP service discovery. */
    record TargetGroup(List<String> targets, Map<String, String> labels) {}

    /** Returns the metrics of this service and the indices of the watched services. */
    @GetMapping(value = "/metrics", produces = TEXT)
    String metrics(
            @RequestParam(required = false) @Nullable List<String> service,
            @RequestParam(required = false) @Nullable List<String> index) {
        FigureSelection selection = FigureSelection.of(service, index, figures.catalogue());
        return registry.scrape(TEXT) + ServiceFigures.text(figures.collect(selection));
    }

    /** Returns this service as the only target, under the host name of the request. */
    @GetMapping("/api/v1/prometheus/targets")
    List<TargetGroup> targets(HttpServletRequest request) {
        String host = request.getServerName() + ":" + request.getServerPort();
        return List.of(new TargetGroup(
                List.of(host),
                Map.of(
                        "__scheme__",
                        request.getScheme(),
                        "__metrics_path__",
                        "/metrics",
                        "komainu_part",
                        "central")));
    }
}
