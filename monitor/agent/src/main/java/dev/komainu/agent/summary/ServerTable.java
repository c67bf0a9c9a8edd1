package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.HttpExchange;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Table of the servers in a capture, the busiest first. Keeps a thousand servers apart; a port scan
 * contains more. Single thread.
 */
final class ServerTable {

    private static final int MOST_KEPT = 1_000;
    private static final int MOST_SHOWN = 10;

    private final Map<Endpoint, Server> servers = new HashMap<>();
    private long leftOut;

    private static final class Server {
        final Endpoint address;
        final Histogram response = Distribution.newRecorder();
        long connections;
        long exchanges;
        long errors;
        long uniqueDown;

        Server(Endpoint address) {
            this.address = address;
        }

        long connections() {
            return connections;
        }
    }

    void add(ConnectionRecord record) {
        Server server = servers.get(record.server());
        if (server == null) {
            if (servers.size() == MOST_KEPT) {
                leftOut++;
                return;
            }
            server = new Server(record.server());
            servers.put(record.server(), server);
        }
        server.connections++;
        server.uniqueDown += record.down().uniqueBytes();
        server.exchanges += record.exchanges().size() + record.exchangesLeftOut();
        for (HttpExchange exchange : record.exchanges()) {
            Integer status = exchange.status();
            if (status != null && status >= 500) {
                server.errors++;
            }
            Long micros = exchange.responseMicros();
            if (micros != null) {
                Distribution.record(server.response, micros);
            }
        }
    }

    /** Returns one line a server, at most ten; an empty text when there are none. */
    String text() {
        if (servers.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%n  %-24s %12s %12s %8s %9s %9s %9s%n",
                "server",
                "connections",
                "exchanges",
                "5xx",
                "T_r p50",
                "p99",
                "bytes"));
        List<Server> busiest = servers.values().stream()
                .sorted(Comparator.comparingLong(Server::connections)
                        .reversed()
                        .thenComparing(server -> server.address.toString()))
                .toList();
        for (Server server : busiest.subList(0, Math.min(MOST_SHOWN, busiest.size()))) {
            boolean answered = server.response.getTotalCount() > 0;
            text.append(String.format(
                    Locale.ROOT,
                    "  %-24s %,12d %,12d %,8d %9s %9s %9s%n",
                    server.address,
                    server.connections,
                    server.exchanges,
                    server.errors,
                    answered
                            ? TextHistogram.duration(server.response.getValueAtPercentile(50))
                            : "-",
                    answered
                            ? TextHistogram.duration(server.response.getValueAtPercentile(99))
                            : "-",
                    TextHistogram.bytes(server.uniqueDown)));
        }
        if (busiest.size() > MOST_SHOWN || leftOut > 0) {
            long others = leftOut
                    + busiest.stream()
                            .skip(MOST_SHOWN)
                            .mapToLong(Server::connections)
                            .sum();
            text.append(String.format(Locale.ROOT, "  %-24s %,12d%n", "others", others));
        }
        return text.toString();
    }
}
