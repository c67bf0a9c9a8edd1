package dev.komainu.proxy.control;

import dev.komainu.intermediary.buffer.BufferFigures;
import dev.komainu.intermediary.buffer.BufferScheme;
import dev.komainu.telemetry.metrics.MetricFamily;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The metrics and statistics of the budget for socket buffers. */
final class BufferMetrics {

    private BufferMetrics() {}

    /** Returns a part of {@link MetricsPage}. */
    static List<MetricFamily> of(BufferFigures f) {
        MetricFamily scheme = MetricFamily.info(
                "buffer_scheme",
                "1 for the scheme that sets the socket buffers.",
                "scheme",
                f.scheme().text());
        return f.scheme() == BufferScheme.EQUATION ? budget(scheme, f) : List.of(scheme);
    }

    private static List<MetricFamily> budget(MetricFamily scheme, BufferFigures f) {
        return List.of(
                scheme,
                MetricFamily.gauge(
                                "buffer_budget_bytes",
                                "Limit of the outstanding bytes of all connections.")
                        .sample(f.budgetBytes()),
                MetricFamily.gauge("buffer_share_bytes", "The budget by use.")
                        .sample(f.inUseBytes(), "by", "used")
                        .sample(f.idleBytes(), "by", "idle")
                        .sample(f.freeBytes(), "by", "free"),
                MetricFamily.gauge(
                                "buffer_connections",
                                "Connections with a share, of clients and to origins.")
                        .sample(f.inUse(), "state", "used")
                        .sample(f.idle(), "state", "idle"),
                MetricFamily.gauge(
                                "buffer_level_bytes",
                                "Up to this level each connection has the bytes that it requests.")
                        .sample(f.levelBytes()),
                MetricFamily.gauge(
                                "buffer_waiting",
                                "Client connections that have used up their share.")
                        .sample(f.waiting()),
                MetricFamily.counter(
                                "buffer_waits", "Times a client connection had used up its share.")
                        .sample(f.waits()),
                MetricFamily.counter(
                                "buffer_looks",
                                "Readings of the outstanding bytes from the kernel, besides those once a second.")
                        .sample(f.infoReads()));
    }

    /** Returns a member of the statistics. */
    static Map<String, Object> members(BufferFigures f) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("scheme", f.scheme().text());
        all.put("budgetBytes", f.budgetBytes());
        all.put("inUse", f.inUse());
        all.put("idle", f.idle());
        all.put("inUseBytes", f.inUseBytes());
        all.put("idleBytes", f.idleBytes());
        all.put("freeBytes", f.freeBytes());
        all.put("levelBytes", f.levelBytes());
        all.put("waiting", f.waiting());
        all.put("waits", f.waits());
        all.put("flows", f.flows().stream().map(BufferMetrics::flow).toList());
        return all;
    }

    private static Map<String, Object> flow(BufferFigures.FlowFigures flow) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("client", flow.client());
        members.put("rttMicros", flow.rttMicros());
        members.put("bytesPerSecond", flow.bytesPerSecond() < 0 ? null : flow.bytesPerSecond());
        members.put("wantBytes", flow.demandBytes());
        members.put("shareBytes", flow.shareBytes());
        members.put("outstandingBytes", flow.outstandingBytes());
        return members;
    }
}
