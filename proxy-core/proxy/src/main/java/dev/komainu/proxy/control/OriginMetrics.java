package dev.komainu.proxy.control;

import dev.komainu.intermediary.upstream.ServerFigures;
import dev.komainu.telemetry.metrics.MetricFamily;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The metrics of each origin server of a route; a part of {@link MetricsPage}. */
final class OriginMetrics {

    private final List<ServerFigures> servers;

    private OriginMetrics(List<ServerFigures> servers) {
        this.servers = servers;
    }

    static List<MetricFamily> of(List<ServerFigures> servers) {
        OriginMetrics page = new OriginMetrics(servers);
        return List.of(
                page.gauge(
                        "up",
                        "1 while requests are sent to this server, 0 while it is ejected.",
                        s -> s.up() ? 1 : 0),
                page.gauge(
                        "open_connections",
                        "Connections to this server now, parked ones included.",
                        ServerFigures::open),
                page.gauge(
                        "waiting_requests",
                        "Requests that wait for a connection to this server now.",
                        ServerFigures::waiting),
                page.counter(
                        "server_requests",
                        "Requests sent to this server.",
                        ServerFigures::requests),
                page.counter(
                        "server_failures",
                        "Requests to this server without a complete response, and failed connection attempts.",
                        ServerFigures::failures),
                page.counter(
                        "ejections",
                        "Ejections of this server after consecutive failures.",
                        ServerFigures::ejections),
                page.counter(
                        "waits",
                        "Requests that had to wait for a connection to this server.",
                        ServerFigures::waits),
                page.counter(
                        "wait_seconds", "Total time of these waits.", s -> s.waitedMicros() / 1e6));
    }

    private MetricFamily gauge(String name, String help, ToDoubleFunction<ServerFigures> value) {
        return samples(MetricFamily.gauge("origin_" + name, help), value);
    }

    private MetricFamily counter(String name, String help, ToDoubleFunction<ServerFigures> value) {
        return samples(MetricFamily.counter("origin_" + name, help), value);
    }

    private MetricFamily samples(MetricFamily family, ToDoubleFunction<ServerFigures> value) {
        for (ServerFigures server : servers) {
            family.sample(value.applyAsDouble(server), "server", server.server());
        }
        return family;
    }
}
