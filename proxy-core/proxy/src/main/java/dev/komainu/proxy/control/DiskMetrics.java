package dev.komainu.proxy.control;

import dev.komainu.proxy.disk.DiskFigures;
import dev.komainu.proxy.peak.PeakHistory;
import dev.komainu.proxy.peak.PeakView;
import dev.komainu.telemetry.metrics.MetricFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The metrics of the disk tier and of the peak; a part of {@link MetricsPage}. */
final class DiskMetrics {

    private final List<MetricFamily> families = new ArrayList<>();

    private DiskMetrics() {}

    /** Returns the families; none without a disk tier. */
    static List<MetricFamily> of(PublishedFigures f) {
        DiskMetrics page = new DiskMetrics();
        DiskFigures disk = f.snapshot().cache().disk();
        if (disk != null) {
            page.reads(disk, f.counters().diskHits);
            page.writes(disk);
            page.space(disk);
        }
        PeakView peak = f.peak();
        if (peak != null) {
            page.peak(peak);
        }
        return page.families;
    }

    private void reads(DiskFigures f, long diskHits) {
        counter(
                "disk_hits",
                "Hits and stale responses restored from the disk for their request.",
                diskHits);
        counter(
                "disk_asked",
                "Requested records: the sum of the found and the not read ones.",
                f.reads().asked());
        counter("disk_found", "Records restored into memory.", f.reads().found());
        counter(
                "disk_found_bytes",
                "Body bytes restored into memory.",
                f.reads().foundBytes());
        byReason(
                "disk_not_read",
                "Requested records that were not read, by reason.",
                f.reads().unread());
        gauge("disk_queue", "Reads waiting or in progress.", f.reads().queue());
        gauge(
                "disk_read_p95_seconds",
                "95th percentile of the reads of the last second with reads, queueing included.",
                f.reads().readP95Micros() / 1e6);
    }

    private void writes(DiskFigures f) {
        counter("disk_written", "Records written.", f.writes().written());
        counter("disk_written_bytes", "Bytes written to segments.", f.writes().writtenBytes());
        counter(
                "disk_kept",
                "Responses that left memory while the same was on the disk.",
                f.writes().kept());
        byReason(
                "disk_not_written",
                "Responses that left memory and were not written, by reason.",
                f.writes().unwritten());
        counter(
                "disk_aged",
                "Records dropped with the oldest segment.",
                f.upkeep().aged());
        counter(
                "disk_renewed",
                "Records rewritten before their segment was dropped, because they had been requested.",
                f.upkeep().renewed());
        counter(
                "disk_damaged",
                "Records that could not be read at the start.",
                f.upkeep().damaged());
        counter(
                "disk_torn",
                "Segments with an incomplete end at the start.",
                f.upkeep().torn());
        gauge(
                "disk_waiting_bytes",
                "Bytes of responses that wait to be written.",
                f.writes().waitingBytes());
    }

    private void space(DiskFigures f) {
        gauge("disk_records", "Records in the index.", f.space().records());
        gauge("disk_bytes", "Bytes of all segments.", f.space().bytes());
        gauge(
                "disk_budget_bytes",
                "Limit of the bytes of all segments.",
                f.space().limitBytes());
        gauge(
                "disk_protected_bytes",
                "Bytes of records that had priority when they were last written.",
                f.space().protectedBytes());
        gauge(
                "disk_index_bytes",
                "Heap bytes of the index, not part of the cache's limit.",
                f.space().indexBytes());
    }

    private void peak(PeakView view) {
        gauge("peak", "1 at the peak: memory only; 0 off-peak.", view.now().peak() ? 1 : 0);
        gauge(
                "peak_since_seconds",
                "Start of the present state, since the epoch.",
                view.now().sinceMillis() / 1e3);
        counter("peak_switches", "Switches between peak and off-peak.", view.switches());
        gauge(
                "peak_usual_arrivals",
                "Usual requests a second.",
                Math.rint(view.usualArrivals() * 10) / 10);
        PeakHistory.Expected next = view.next();
        gauge(
                "peak_next_seconds",
                "Expected start of the next usual peak, since the epoch; 0: none is known.",
                next == null ? 0 : next.atMillis() / 1e3);
        gauge(
                "peak_next_confidence",
                "Confidence of this expectation, 0 to 1.",
                next == null ? 0 : Math.rint(next.confidence() * 1000) / 1000);
    }

    private void counter(String name, String help, long value) {
        families.add(MetricFamily.counter(name, help).sample(value));
    }

    private void gauge(String name, String help, double value) {
        families.add(MetricFamily.gauge(name, help).sample(value));
    }

    private void gauge(String name, String help, long value) {
        families.add(MetricFamily.gauge(name, help).sample(value));
    }

    private void byReason(String name, String help, Map<String, Long> counts) {
        MetricFamily family = MetricFamily.counter(name, help);
        counts.forEach((reason, count) -> family.sample(count, "reason", reason));
        families.add(family);
    }
}
