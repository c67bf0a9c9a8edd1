package dev.komainu.proxy.control;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.komainu.proxy.report.Figures;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The control endpoint.
 *
 * <table><caption>Paths</caption>
 * <tr><td>GET /health</td><td>200 {@code {"status":"up"}}, 503 while draining</td></tr>
 * <tr><td>GET /metrics</td><td>Prometheus text</td></tr>
 * <tr><td>GET /control/v1/stats</td><td>figures as JSON</td></tr>
 * <tr><td>PURGE /control/v1/cache?url=URL</td><td>token; POST does the same: {@code {"purged":true}}</td></tr>
 * </table>
 *
 * Writes need {@code Authorization: Bearer TOKEN}; without a token file they are refused. The Host of every request must
 * be a literal address, {@code localhost} or this listener's own name, so that no web page can reach it by rebinding a name.
 */
public final class ControlServer implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService threads = Executors.newSingleThreadExecutor(
            task -> Thread.ofPlatform().name("komainu-control").daemon().unstarted(task));
    private final Supplier<Figures> figures;
    private final Purger purger;
    private final BooleanSupplier draining;
    private final byte @Nullable [] token;

    /**
     * Begins to listen.
     *
     * @param tokenFile its first line is the token; absent: no writes
     * @throws BindException when the address cannot be had
     * @throws IOException when the token file cannot be read
     */
    public ControlServer(
            InetSocketAddress address,
            @Nullable Path tokenFile,
            Supplier<Figures> figures,
            Purger purger,
            BooleanSupplier draining)
            throws IOException {
        this.figures = figures;
        this.purger = purger;
        this.draining = draining;
        this.token = tokenFile == null ? null : token(tokenFile);
        try {
            server = HttpServer.create(address, 64);
        } catch (BindException e) {
            throw new BindException("control.listen: " + address.getHostString() + ":" + address.getPort() + " ("
                    + e.getMessage() + ")");
        }
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    private static byte[] token(Path file) throws IOException {
        String first = Files.readString(file).lines().findFirst().orElse("").strip();
        if (first.length() < 16) {
            throw new IOException(
                    "control.token-file: " + file + " (expected: a first line of at least 16 characters)");
        }
        return first.getBytes(StandardCharsets.UTF_8);
    }

    public InetSocketAddress address() {
        return server.getAddress();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readNBytes(64 * 1024);
            if (!hostExpected(exchange.getRequestHeaders().getFirst("Host"))) {
                problem(exchange, 421, "Misdirected Request", "The Host of this request is not this endpoint's");
                return;
            }
            String method = exchange.getRequestMethod();
            boolean reads = method.equals("GET") || method.equals("HEAD");
            boolean writes = method.equals("PURGE") || method.equals("POST");
            switch (exchange.getRequestURI().getPath()) {
                case "/health" -> {
                    if (allowed(exchange, reads)) {
                        boolean up = !draining.getAsBoolean();
                        answer(
                                exchange,
                                up ? 200 : 503,
                                "application/json",
                                up ? "{\"status\":\"up\"}\n" : "{\"status\":\"draining\"}\n");
                    }
                }
                case "/metrics" -> {
                    if (allowed(exchange, reads)) {
                        answer(
                                exchange,
                                200,
                                "text/plain; version=0.0.4; charset=utf-8",
                                MetricsPage.of(figures.get()));
                    }
                }
                case "/control/v1/stats" -> {
                    if (allowed(exchange, reads)) {
                        answer(exchange, 200, "application/json", StatsPage.of(figures.get()));
                    }
                }
                case "/control/v1/cache" -> {
                    if (allowed(exchange, writes) && authorized(exchange)) {
                        purge(exchange);
                    }
                }
                default -> problem(exchange, 404, "Not Found", "Nothing is here");
            }
        }
    }

    /** DNS rebinding: a browser that was led here by a name sends that name. */
    private boolean hostExpected(@Nullable String host) {
        if (host == null) {
            return false;
        }
        int colon = host.indexOf(':', Math.max(0, host.lastIndexOf(']')));
        String name = colon < 0 ? host : host.substring(0, colon);
        return name.equalsIgnoreCase("localhost")
                || name.startsWith("[")
                || name.matches("[0-9.]+")
                || name.equalsIgnoreCase(server.getAddress().getHostString());
    }

    private static boolean allowed(HttpExchange exchange, boolean method) throws IOException {
        if (!method) {
            problem(exchange, 405, "Method Not Allowed", "This method does not apply here");
        }
        return method;
    }

    private boolean authorized(HttpExchange exchange) throws IOException {
        String given = exchange.getRequestHeaders().getFirst("Authorization");
        byte[] known = token;
        if (known == null) {
            problem(exchange, 403, "Forbidden", "Writes are off: no control.token-file is set");
            return false;
        }
        boolean right = given != null
                && given.startsWith("Bearer ")
                && MessageDigest.isEqual(known, given.substring(7).strip().getBytes(StandardCharsets.UTF_8));
        if (!right) {
            exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
            problem(exchange, 401, "Unauthorized", "A valid bearer token is expected");
        }
        return right;
    }

    private void purge(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        if (query == null || !query.startsWith("url=")) {
            problem(exchange, 400, "Bad Request", "url: none (expected: ?url=http://HOST[:PORT]/PATH)");
            return;
        }
        try {
            Map<String, Object> outcome = new LinkedHashMap<>();
            outcome.put("purged", purger.purge(query.substring(4)));
            answer(exchange, 200, "application/json", Json.object(outcome));
        } catch (IllegalArgumentException e) {
            problem(exchange, 400, "Bad Request", String.valueOf(e.getMessage()));
        }
    }

    /** RFC 9457. */
    private static void problem(HttpExchange exchange, int status, String title, String detail) throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("type", "about:blank");
        members.put("title", title);
        members.put("status", status);
        members.put("detail", detail);
        answer(exchange, status, "application/problem+json", Json.object(members));
    }

    private static void answer(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, head ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
