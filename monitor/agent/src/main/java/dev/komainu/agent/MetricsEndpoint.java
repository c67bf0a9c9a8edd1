package dev.komainu.agent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.komainu.telemetry.metrics.PublishedMetrics;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The agent's {@code GET /metrics} on loopback, by the JDK's own server: one page a scrape needs no
 * Netty in a guest process. Requests whose Host is not a loopback name are refused, so that no web
 * page reads it through DNS rebinding.
 */
final class MetricsEndpoint implements AutoCloseable {

    private static final Pattern LOOPBACK =
            Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?");
    private static final int BACKLOG = 4;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final PublishedMetrics<AgentFigures> metrics;

    private MetricsEndpoint(HttpServer server, Supplier<AgentFigures> figures) {
        this.server = server;
        this.metrics = AgentMetrics.over(figures);
        server.createContext("/", this::serve);
        server.setExecutor(threads);
        server.start();
    }

    /**
     * Opens the endpoint.
     *
     * @param listen a loopback address; null: no endpoint
     * @return null when there is none
     * @throws BindException when the address cannot be bound
     */
    static @Nullable MetricsEndpoint open(
            @Nullable InetSocketAddress listen, Supplier<AgentFigures> figures) throws IOException {
        return listen == null
                ? null
                : new MetricsEndpoint(HttpServer.create(listen, BACKLOG), figures);
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            String host = exchange.getRequestHeaders().getFirst("Host");
            if (host == null || !LOOPBACK.matcher(host).matches()) {
                send(exchange, 421, "Host: " + host + " (expected: an address of loopback)\n");
            } else if (!exchange.getRequestURI().getPath().equals("/metrics")) {
                send(exchange, 404, "Only /metrics is here\n");
            } else if (!exchange.getRequestMethod().equals("GET")) {
                exchange.getResponseHeaders().set("Allow", "GET");
                send(exchange, 405, "Only GET is allowed\n");
            } else {
                exchange.getResponseHeaders().set("Content-Type", PublishedMetrics.CONTENT_TYPE);
                send(exchange, 200, metrics.page());
            }
        }
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
