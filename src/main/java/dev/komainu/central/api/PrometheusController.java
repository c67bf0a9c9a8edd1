package dev.komainu.central.api;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The endpoints for Prometheus: metrics in its text format, and service discovery. */
@RestController
class PrometheusController {

    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry;

    PrometheusController(PrometheusMeterRegistry registry) {
        this.registry = registry;
    }

    /** One entry of HTTP service discovery. */
    record TargetGroup(List<String> targets, Map<String, String> labels) {}

    @GetMapping(value = "/metrics", produces = TEXT)
    String metrics() {
        return registry.scrape(TEXT);
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
