package dev.komainu.proxy.control;

import dev.komainu.intermediary.upstream.ServerFigures;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The metrics of each origin server of a route; a part of {@link MetricsPage}. */
final class OriginMetrics {

    private final List<ServerFigures> servers;
    private final StringBuilder out = new StringBuilder();

    private OriginMetrics(List<ServerFigures> servers) {
        this.servers = servers;
    }

    static StringBuilder of(List<ServerFigures> servers) {
        OriginMetrics page = new OriginMetrics(servers);
        page.gauge(
                "up",
                "1 while requests are sent to this server, 0 while it is ejected.",
                s -> s.up() ? 1 : 0);
        page.gauge(
                "open_connections",
                "Connections to this server now, parked ones included.",
                ServerFigures::open);
        page.gauge(
                "waiting_requests",
                "Requests that wait for a connection to this server now.",
                ServerFigures::waiting);
        page.counter("server_requests", "Requests sent to this server.", ServerFigures::requests);
        page.counter(
                "server_failures",
                "Requests to this server without a complete response, and failed connection attempts.",
                ServerFigures::failures);
        page.counter(
                "ejections",
                "Ejections of this server after consecutive failures.",
                ServerFigures::ejections);
        page.counter(
                "waits",
                "Requests that had to wait for a connection to this server.",
                ServerFigures::waits);
        page.counter("wait_seconds", "Total time of these waits.", s -> s.waitedMicros() / 1e6);
        return page.out;
    }

    private void gauge(String name, String help, ToDoubleFunction<ServerFigures> value) {
        lines("komainu_proxy_origin_" + name, "gauge", help, value);
    }

    private void counter(String name, String help, ToDoubleFunction<ServerFigures> value) {
        lines("komainu_proxy_origin_" + name + "_total", "counter", help, value);
    }

    private void lines(
            String name, String type, String help, ToDoubleFunction<ServerFigures> value) {
        if (servers.isEmpty()) {
            return;
        }
        out.append("# HELP ").append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        for (ServerFigures server : servers) {
            double now = value.applyAsDouble(server);
            out.append(name).append("{server=\"").append(server.server()).append("\"} ");
            out.append(
                    now == Math.rint(now)
                            ? Long.toString((long) now)
                            : String.format(Locale.ROOT, "%.6f", now));
            out.append('\n');
        }
    }
}
