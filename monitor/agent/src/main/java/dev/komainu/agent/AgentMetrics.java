package dev.komainu.agent;

import dev.komainu.telemetry.metrics.MetricFamily;
import dev.komainu.telemetry.metrics.PublishedMetrics;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.report.CentralMetrics;
import dev.komainu.telemetry.report.ReporterStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * The agent's metrics. All are families: before the first status, without capturing and without a
 * central service the figures do not exist.
 */
final class AgentMetrics {

    private AgentMetrics() {}

    static PublishedMetrics<AgentFigures> over(Supplier<AgentFigures> figures) {
        return new PublishedMetrics<AgentFigures>("komainu_agent_", figures, meters -> {
            meters.families(its -> its.status() == null ? List.of() : status(its.status()));
            meters.families(AgentMetrics::frames);
            meters.families(its -> its.reporter() == null ? List.of() : reporter(its.reporter()));
        });
    }

    private static List<MetricFamily> status(SourceStatus status) {
        MetricFamily drops =
                MetricFamily.counter("dropped", "Packets, state and records left out, by reason.");
        status.drops().forEach(each -> drops.sample(each.count(), "reason", each.reason()));
        MetricFamily troubles =
                MetricFamily.gauge("trouble", "1 for each present problem, by its code.");
        status.troubles().stream()
                .map(SourceStatus.Trouble::code)
                .distinct()
                .forEach(code -> troubles.sample(1, "code", code));
        MetricFamily interfaces =
                MetricFamily.gauge("capturing", "1 for each interface whose packets are read.");
        status.watching().stream()
                .distinct()
                .forEach(name -> interfaces.sample(1, "interface", name));
        return List.of(
                drops,
                troubles,
                interfaces,
                gauge(
                        "start_time_seconds",
                        "Start of the process since the epoch.",
                        status.startedMicros() / 1e6),
                gauge(
                        "status_time_seconds",
                        "Time of the status that these figures are from, since the epoch.",
                        status.atMicros() / 1e6),
                gauge(
                        "resident_memory_bytes",
                        "Memory of the process.",
                        status.use().residentBytes()),
                gauge(
                        "cpu_cores",
                        "CPU time of the process per second of wall time.",
                        status.use().cpuCores()));
    }

    private static List<MetricFamily> frames(AgentFigures figures) {
        MetricFamily frames =
                MetricFamily.counter("frames", "Frames read from the interfaces, by outcome.");
        figures.frames()
                .forEach((outcome, count) -> frames.sample(
                        count,
                        "outcome",
                        outcome.name().toLowerCase(Locale.ROOT).replace('_', '-')));
        return List.of(frames);
    }

    private static List<MetricFamily> reporter(ReporterStatus status) {
        List<MetricFamily> all = new ArrayList<>();
        all.add(counter(
                "sent_batches",
                "Batches that the central service has confirmed.",
                status.sentBatches()));
        all.add(counter("sent_records", "Records in these batches.", status.sentRecords()));
        all.add(counter(
                "rejected_batches",
                "Batches that the central service could not read; kept in the quarantine.",
                status.rejectedBatches()));
        all.add(counter(
                "refused_attempts", "Attempts with response 401 or 403.", status.refusals()));
        all.add(counter(
                "failed_attempts", "Attempts without a usable response.", status.failures()));
        all.add(gauge("queued_records", "Records not yet in a batch.", status.queuedRecords()));
        all.add(gauge(
                "waiting_records",
                "Records in waiting batches, in memory and on disk.",
                status.waitingRecords()));
        all.add(gauge("spool_bytes", "Size of the spool on disk.", status.spoolBytes()));
        all.addAll(CentralMetrics.families(status));
        return all;
    }

    private static MetricFamily counter(String name, String help, long value) {
        return MetricFamily.counter(name, help).sample(value);
    }

    private static MetricFamily gauge(String name, String help, double value) {
        return MetricFamily.gauge(name, help).sample(value);
    }

    private static MetricFamily gauge(String name, String help, long value) {
        return MetricFamily.gauge(name, help).sample(value);
    }
}
