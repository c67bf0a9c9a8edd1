package dev.komainu.proxy.control;

import dev.komainu.proxy.disk.DiskFigures;
import dev.komainu.proxy.peak.PeakHistory;
import dev.komainu.proxy.peak.PeakView;
import java.math.BigDecimal;
import java.util.Map;

/** The metrics of the disk tier and of the peak; a part of {@link MetricsPage}. */
final class DiskMetrics {

    private final StringBuilder out = new StringBuilder();

    private DiskMetrics() {}

    static StringBuilder of(DiskFigures f, long diskHits) {
        DiskMetrics page = new DiskMetrics();
        page.write(f, diskHits);
        return page.out;
    }

    private void write(DiskFigures f, long diskHits) {
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
        gauge("disk_records", "Records in the index.", (double) f.space().records());
        gauge("disk_bytes", "Bytes of all segments.", (double) f.space().bytes());
        gauge("disk_budget_bytes", "Limit of the bytes of all segments.", (double)
                f.space().limitBytes());
        gauge(
                "disk_protected_bytes",
                "Bytes of records that had priority when they were last written.",
                (double) f.space().protectedBytes());
        gauge(
                "disk_index_bytes",
                "Heap bytes of the index, not part of the cache's limit.",
                (double) f.space().indexBytes());
        gauge("disk_queue", "Reads waiting or in progress.", f.reads().queue());
        gauge("disk_waiting_bytes", "Bytes of responses that wait to be written.", (double)
                f.writes().waitingBytes());
        gauge(
                "disk_read_p95_seconds",
                "95th percentile of the reads of the last second with reads, queueing included.",
                f.reads().readP95Micros() / 1e6);
    }

    static StringBuilder of(PeakView view) {
        DiskMetrics page = new DiskMetrics();
        page.gauge("peak", "1 at the peak: memory only; 0 off-peak.", view.now().peak() ? 1 : 0);
        page.gauge(
                "peak_since_seconds",
                "Start of the present state, since the epoch.",
                view.now().sinceMillis() / 1e3);
        page.counter("peak_switches", "Switches between peak and off-peak.", view.switches());
        page.gauge(
                "peak_usual_arrivals",
                "Usual requests a second.",
                Math.rint(view.usualArrivals() * 10) / 10);
        PeakHistory.Expected next = view.next();
        page.gauge(
                "peak_next_seconds",
                "Expected start of the next usual peak, since the epoch; 0: none is known.",
                next == null ? 0 : next.atMillis() / 1e3);
        page.gauge(
                "peak_next_confidence",
                "Confidence of this expectation, 0 to 1.",
                next == null ? 0 : Math.rint(next.confidence() * 1000) / 1000);
        return page.out;
    }

    private void head(String name, String help, String type) {
        out.append("# HELP komainu_proxy_")
                .append(name)
                .append(' ')
                .append(help)
                .append('\n');
        out.append("# TYPE komainu_proxy_")
                .append(name)
                .append(' ')
                .append(type)
                .append('\n');
    }

    private void counter(String name, String help, long value) {
        head(name + "_total", help, "counter");
        out.append("komainu_proxy_")
                .append(name)
                .append("_total ")
                .append(value)
                .append('\n');
    }

    private void byReason(String name, String help, Map<String, Long> counts) {
        head(name + "_total", help, "counter");
        counts.forEach((reason, count) -> out.append("komainu_proxy_")
                .append(name)
                .append("_total{reason=\"")
                .append(reason)
                .append("\"} ")
                .append(count)
                .append('\n'));
    }

    private void gauge(String name, String help, double value) {
        head(name, help, "gauge");
        out.append("komainu_proxy_")
                .append(name)
                .append(' ')
                .append(BigDecimal.valueOf(value).stripTrailingZeros().toPlainString())
                .append('\n');
    }
}
