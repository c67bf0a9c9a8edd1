package dev.komainu.central.api;

import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.IndexDefinition;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.springframework.stereotype.Component;

/**
 * The newest indices of every service for Prometheus, read from the newest assessment at each
 * scrape. Nothing is stored, and a removed service is missing from the next response. Base units:
 * seconds, bytes, ratios of one.
 */
@Component
class ServiceFigures implements MultiCollector {

    private static final String PREFIX = "komainu_service_";
    private static final Pattern HUMP = Pattern.compile("([a-z0-9])([A-Z])");

    private final Assessor assessor;
    private final IndexCatalogue catalogue;

    ServiceFigures(Assessor assessor, IndexCatalogue catalogue, PrometheusMeterRegistry registry) {
        this.assessor = assessor;
        this.catalogue = catalogue;
        registry.getPrometheusRegistry().register(this);
    }

    @Override
    public MetricSnapshots collect() {
        Assessment assessment = assessor.latest();
        List<MetricSnapshot> snapshots = new ArrayList<>();
        snapshots.add(states(assessment));
        for (IndexDefinition index : catalogue.all()) {
            GaugeSnapshot.Builder gauge = GaugeSnapshot.builder()
                    .name(name(index))
                    .help(index.definition().en());
            int points = 0;
            for (ServiceAssessment service : assessment.services()) {
                Double value = service.values().get(index.name());
                if (value != null) {
                    gauge.dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder()
                            .labels(Labels.of("service", service.profile().id()))
                            .value(value * factor(index))
                            .build());
                    points++;
                }
            }
            if (points > 0) {
                snapshots.add(gauge.build());
            }
        }
        return new MetricSnapshots(snapshots);
    }

    private static GaugeSnapshot states(Assessment assessment) {
        GaugeSnapshot.Builder gauge = GaugeSnapshot.builder()
                .name(PREFIX + "state")
                .help("1 for the present state of each service");
        for (ServiceAssessment service : assessment.services()) {
            gauge.dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder()
                    .labels(Labels.of(
                            "service",
                            service.profile().id(),
                            "state",
                            service.judgement().state().label()))
                    .value(1)
                    .build());
        }
        return gauge.build();
    }

    /**
     * Returns the metric name: {@code responseP95Millis} becomes
     * {@code komainu_service_response_p95_seconds}.
     */
    static String name(IndexDefinition index) {
        String name = HUMP.matcher(index.name()).replaceAll("$1_$2").toLowerCase(Locale.ROOT);
        return PREFIX
                + name.replaceFirst("_millis$", "_seconds")
                        .replaceFirst("_(share|percent)$", "_ratio");
    }

    private static double factor(IndexDefinition index) {
        return switch (index.unit()) {
            case "ms" -> 0.001;
            case "percent" -> 0.01;
            default -> 1;
        };
    }
}
