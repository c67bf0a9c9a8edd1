package dev.komainu.proxy.control;

import dev.komainu.intermediary.buffer.BufferFigures;
import dev.komainu.intermediary.buffer.BufferScheme;
import java.util.LinkedHashMap;
import java.util.Map;

/** The metrics and statistics of the budget for socket buffers. */
final class BufferMetrics {

    private final StringBuilder out = new StringBuilder();

    private BufferMetrics() {}

    /** Returns a part of {@link MetricsPage}. */
    static StringBuilder of(BufferFigures f) {
        BufferMetrics page = new BufferMetrics();
        page.head("scheme_info", "gauge", "1 for the scheme that sets the socket buffers.");
        page.line("scheme_info{scheme=\"" + f.scheme().text() + "\"}", 1);
        if (f.scheme() != BufferScheme.EQUATION) {
            return page.out;
        }
        page.head("budget_bytes", "gauge", "Limit of the outstanding bytes of all connections.");
        page.line("budget_bytes", f.budgetBytes());
        page.head("share_bytes", "gauge", "The budget by use.");
        page.line("share_bytes{by=\"used\"}", f.inUseBytes());
        page.line("share_bytes{by=\"idle\"}", f.idleBytes());
        page.line("share_bytes{by=\"free\"}", f.freeBytes());
        page.head("connections", "gauge", "Connections with a share, of clients and to origins.");
        page.line("connections{state=\"used\"}", f.inUse());
        page.line("connections{state=\"idle\"}", f.idle());
        page.head(
                "level_bytes",
                "gauge",
                "Up to this level each connection has the bytes that it requests.");
        page.line("level_bytes", f.levelBytes());
        page.head("waiting", "gauge", "Client connections that have used up their share.");
        page.line("waiting", f.waiting());
        page.head("waits_total", "counter", "Times a client connection had used up its share.");
        page.line("waits_total", f.waits());
        page.head(
                "looks_total",
                "counter",
                "Readings of the outstanding bytes from the kernel, besides those once a second.");
        page.line("looks_total", f.infoReads());
        return page.out;
    }

    private void head(String name, String type, String help) {
        out.append("# HELP komainu_proxy_buffer_")
                .append(name)
                .append(' ')
                .append(help)
                .append('\n');
        out.append("# TYPE komainu_proxy_buffer_")
                .append(name)
                .append(' ')
                .append(type)
                .append('\n');
    }

    private void line(String nameAndLabels, long value) {
        out.append("komainu_proxy_buffer_")
                .append(nameAndLabels)
                .append(' ')
                .append(value)
                .append('\n');
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
