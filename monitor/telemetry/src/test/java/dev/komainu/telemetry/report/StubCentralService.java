package dev.komainu.telemetry.report;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.BatchCodec;
import dev.komainu.telemetry.wire.DecodedBatch;
import dev.komainu.telemetry.wire.MalformedBatchException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real HTTP server that keeps the ingest contract; it can be stopped, started again, and told to
 * misbehave.
 */
final class SmallCentre implements AutoCloseable {

    /** What to answer; null means: as the contract says. */
    @FunctionalInterface
    interface Mood {
        Integer status(int request, BatchId id);
    }

    private final Map<BatchId, List<TelemetryRecord>> stored = new ConcurrentHashMap<>();
    private final List<BatchId> order = new CopyOnWriteArrayList<>();
    private final AtomicInteger requests = new AtomicInteger();
    private final List<String> tokens = new CopyOnWriteArrayList<>();
    private volatile Mood mood = (request, id) -> null;
    private volatile boolean forgetsToAnswer;
    private volatile String retryAfter;
    private volatile String name = "first";
    private volatile String more = "";
    private final InetSocketAddress address;
    private HttpServer server;
    private ExecutorService threads;

    SmallCentre() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        address = server.getAddress();
        begin();
    }

    private void begin() {
        threads = Executors.newCachedThreadPool();
        server.setExecutor(threads);
        server.createContext("/api/v1/ingest", this::ingest);
        server.start();
    }

    URI uri() {
        return URI.create(
                "http://" + address.getAddress().getHostAddress() + ":" + address.getPort());
    }

    void kill() {
        server.stop(0);
        threads.shutdownNow();
    }

    void restart() throws IOException {
        server = HttpServer.create(address, 0);
        begin();
    }

    void mood(Mood now) {
        mood = now;
    }

    /** Stores, then breaks the connection without an answer. */
    void forgetsToAnswer(boolean now) {
        forgetsToAnswer = now;
    }

    void retryAfter(String seconds) {
        retryAfter = seconds;
    }

    /** How it calls this run of itself; null: it does not tell. */
    void name(String now) {
        name = now;
    }

    /** Members of every answer beside its own: {@code ,"name":value}. */
    void adds(String members) {
        more = members;
    }

    private void ingest(HttpExchange exchange) throws IOException {
        try (exchange) {
            int request = requests.incrementAndGet();
            if (name != null) {
                exchange.getResponseHeaders().add("Komainu-Centre", name);
            }
            tokens.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            byte[] body = exchange.getRequestBody().readAllBytes();
            DecodedBatch decoded = BatchCodec.decode(body);
            BatchId id = decoded.batch().id();
            Integer status = mood.status(request, id);
            if (status != null) {
                if (retryAfter != null) {
                    exchange.getResponseHeaders().add("Retry-After", retryAfter);
                }
                answer(exchange, status, "{\"title\":\"in a bad mood\",\"status\":" + status + "}");
                return;
            }
            boolean duplicate = stored.putIfAbsent(id, decoded.batch().records()) != null;
            if (!duplicate) {
                order.add(id);
            }
            if (forgetsToAnswer) {
                return;
            }
            answer(
                    exchange,
                    200,
                    "{\"batch\":\"" + id + "\",\"records\":"
                            + decoded.batch().records().size() + ",\"duplicate\":" + duplicate
                            + more + "}");
        } catch (MalformedBatchException e) {
            answer(exchange, 400, e.getMessage());
        }
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    int requests() {
        return requests.get();
    }

    List<String> tokens() {
        return tokens;
    }

    List<BatchId> order() {
        return order;
    }

    List<TelemetryRecord> records() {
        List<TelemetryRecord> all = new ArrayList<>();
        order.forEach(id -> all.addAll(stored.get(id)));
        return all;
    }

    @Override
    public void close() {
        kill();
    }
}
