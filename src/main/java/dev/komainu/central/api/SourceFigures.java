package dev.komainu.central.api;

import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.fleet.SourceProfile;
import dev.komainu.telemetry.metrics.MetricFamily;
import dev.komainu.telemetry.record.SourceStatus;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.springframework.stereotype.Component;

/**
 * The figures that agents, proxies and organizers report of themselves, for Prometheus: an agent
 * has no metrics endpoint unless it is set. Read from the newest assessment at each scrape; a
 * removed source is missing from the next response.
 */
@Component
class SourceFigures implements MultiCollector {

    private static final String PREFIX = "komainu_source_";

    private final Assessor assessor;

    SourceFigures(Assessor assessor, PrometheusMeterRegistry registry) {
        this.assessor = assessor;
        registry.getPrometheusRegistry().register(this);
    }

    @Override
    public MetricSnapshots collect() {
        List<SourceProfile> sources = assessor.latest().sources();
        MetricFamily drops = MetricFamily.counter(
                "dropped", "Packets, state and records that a source left out, by reason.");
        MetricFamily troubles =
                MetricFamily.gauge("trouble", "1 for each present problem of a source, by code.");
        for (SourceProfile source : sources) {
            String kind = kind(source);
            for (SourceStatus.Drops each : source.status().drops()) {
                drops.sample(
                        each.count(),
                        "source",
                        source.name(),
                        "kind",
                        kind,
                        "reason",
                        each.reason());
            }
            source.status().troubles().stream()
                    .map(SourceStatus.Trouble::code)
                    .distinct()
                    .forEach(code -> troubles.sample(
                            1, "source", source.name(), "kind", kind, "code", code));
        }
        return new MetricSnapshots(MetricFamily.snapshots(
                PREFIX,
                List.of(
                        drops,
                        troubles,
                        gauge(
                                sources,
                                "up",
                                "1 while a source reports, 0 while nothing arrives from it.",
                                source -> source.silent() ? 0 : 1),
                        gauge(
                                sources,
                                "start_time_seconds",
                                "Start of a source since the epoch, by its own clock.",
                                source -> source.status().startedMicros() / 1e6),
                        gauge(
                                sources,
                                "last_seen_time_seconds",
                                "Time of the last data of a source since the epoch.",
                                source -> source.lastSeenMicros() / 1e6),
                        gauge(
                                sources,
                                "resident_memory_bytes",
                                "Memory of the process of a source.",
                                source -> source.status().use().residentBytes()),
                        gauge(
                                sources,
                                "cpu_cores",
                                "CPU time of the process of a source per second of wall time.",
                                source -> source.status().use().cpuCores()))));
    }

    private static MetricFamily gauge(
            List<SourceProfile> sources,
            String name,
            String help,
            ToDoubleFunction<SourceProfile> value) {
        MetricFamily family = MetricFamily.gauge(name, help);
        sources.forEach(source -> family.sample(
                value.applyAsDouble(source), "source", source.name(), "kind", kind(source)));
        return family;
    }

    private static String kind(SourceProfile source) {
        return source.status().kind().name().toLowerCase(Locale.ROOT);
    }
}
