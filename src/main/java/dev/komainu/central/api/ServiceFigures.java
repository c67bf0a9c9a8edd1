package dev.komainu.central.api;

import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.IndexDefinition;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.springframework.stereotype.Component;

/**
 * The newest indices of services for Prometheus, read from the newest assessment at each scrape.
 * Nothing is stored, and a removed service is missing from the next response. Base units: seconds,
 * bytes, ratios of one.
 *
 * <p>A scrape that names no index gets at most {@value #MOST_BYTES} bytes: some 200 indices of each
 * of 500 services would be 5 MB every few seconds. Whole indices are left out, never some services
 * of an index, so that sums over services stay right. {@link #FIRST} come first.
 */
@Component
class ServiceFigures {

    /** Most bytes of indices in a response to a scrape that names no index. */
    static final int MOST_BYTES = 900_000;

    /** The indices that come first, the most important first; all others follow in their order. */
    static final List<String> FIRST = List.of(
            "arrivalPerSecond",
            "processedPerSecond",
            "errorsPerSecond",
            "concurrentMean",
            "responseP50Millis",
            "responseP95Millis",
            "responseP99Millis",
            "trafficDownBytesPerSecond",
            "hitRatio",
            "refusedPerSecond",
            "connectionsPerSecond",
            "workersBusyShare",
            "serverCpuShare",
            "hostCpuIdleShare",
            "hostMemoryAvailableShare",
            "serverResidentBytes",
            "retransmissionShare",
            "captureLossShare",
            "acceptQueueShare",
            "openFilesShare");

    private static final String PREFIX = "komainu_service_";
    private static final Pattern HUMP = Pattern.compile("([a-z0-9])([A-Z])");

    /** Six digits: more than any index is exact. */
    private static final MathContext DIGITS = new MathContext(6);

    /** Characters of a line beside its name and the id of its service. */
    private static final int LINE_BYTES = "{service=\"\"} 0.000123456\n".length();

    private final Assessor assessor;
    private final IndexCatalogue catalogue;
    private final List<IndexDefinition> byImportance;

    ServiceFigures(Assessor assessor, IndexCatalogue catalogue) {
        this.assessor = assessor;
        this.catalogue = catalogue;
        this.byImportance = byImportance(catalogue);
    }

    static List<IndexDefinition> byImportance(IndexCatalogue catalogue) {
        return catalogue.all().stream()
                .sorted(Comparator.comparingInt(ServiceFigures::importance))
                .toList();
    }

    private static int importance(IndexDefinition index) {
        int place = FIRST.indexOf(index.name());
        return place < 0 ? FIRST.size() : place;
    }

    IndexCatalogue catalogue() {
        return catalogue;
    }

    /** Returns the figures that a scrape selects. */
    MetricSnapshots collect(FigureSelection selection) {
        return collect(
                assessor.latest().services().stream().filter(selection::accepts).toList(),
                selection,
                byImportance);
    }

    /**
     * Returns the figures of services.
     *
     * @param byImportance all indices, the most important first
     */
    static MetricSnapshots collect(
            List<ServiceAssessment> services,
            FigureSelection selection,
            List<IndexDefinition> byImportance) {
        List<MetricSnapshot> snapshots = new ArrayList<>();
        snapshots.add(states(services));
        boolean bounded = selection.indices().isEmpty();
        long bytes = 0;
        int omitted = 0;
        for (IndexDefinition index : byImportance) {
            if (!bounded && !selection.indices().contains(index.name())) {
                continue;
            }
            String name = name(index);
            List<GaugeSnapshot.GaugeDataPointSnapshot> points = points(index, services);
            bytes += size(name, points);
            if (bounded && bytes > MOST_BYTES) {
                omitted += points.isEmpty() ? 0 : 1;
            } else if (!points.isEmpty()) {
                GaugeSnapshot.Builder gauge = GaugeSnapshot.builder()
                        .name(name)
                        .help(index.definition().en());
                points.forEach(gauge::dataPoint);
                snapshots.add(gauge.build());
            }
        }
        snapshots.add(GaugeSnapshot.builder()
                .name("komainu_metrics_omitted_indices")
                .help("Indices that this response leaves out because it would be too long."
                        + " A scrape with the parameter index or service gets them")
                .dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder()
                        .value(omitted)
                        .build())
                .build());
        return new MetricSnapshots(snapshots);
    }

    /** Returns figures in the text format of Prometheus. */
    static String text(MetricSnapshots figures) {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        MultiCollector collector = () -> figures;
        registry.getPrometheusRegistry().register(collector);
        return registry.scrape(PrometheusController.TEXT);
    }

    private static List<GaugeSnapshot.GaugeDataPointSnapshot> points(
            IndexDefinition index, List<ServiceAssessment> services) {
        List<GaugeSnapshot.GaugeDataPointSnapshot> points = new ArrayList<>();
        for (ServiceAssessment service : services) {
            Double value = service.values().get(index.name());
            if (value != null) {
                points.add(GaugeSnapshot.GaugeDataPointSnapshot.builder()
                        .labels(Labels.of("service", service.profile().id()))
                        .value(rounded(value * factor(index)))
                        .build());
            }
        }
        return points;
    }

    private static long size(String name, List<GaugeSnapshot.GaugeDataPointSnapshot> points) {
        return points.stream()
                .mapToLong(point ->
                        name.length() + point.getLabels().getValue(0).length() + LINE_BYTES)
                .sum();
    }

    private static double rounded(double value) {
        return Double.isFinite(value) ? new BigDecimal(value, DIGITS).doubleValue() : value;
    }

    private static GaugeSnapshot states(List<ServiceAssessment> services) {
        GaugeSnapshot.Builder gauge = GaugeSnapshot.builder()
                .name(PREFIX + "state")
                .help("1 for the present state of each service");
        for (ServiceAssessment service : services) {
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
