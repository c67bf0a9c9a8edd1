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
 * A real HTTP server that follows the ingest contract. It can be stopped, restarted, and set to
 * misbehave.
 */
final class StubCentralService implements AutoCloseable {

    /** The status of a response; null for the status of the contract. */
    @FunctionalInterface
    interface Behaviour {
        Integer status(int request, BatchId id);
    }

    private final Map<BatchId, List<TelemetryRecord>> stored;
    private final List<BatchId> order;
    private final AtomicInteger requests = new AtomicInteger();
    private final List<String> tokens = new CopyOnWriteArrayList<>();
    private volatile Behaviour behaviour = (request, id) -> null;
    private volatile boolean dropResponses;
    private volatile String retryAfter;
    private volatile String name = "first";
    private volatile String extraMembers = "";
    private final InetSocketAddress address;
    private HttpServer server;
    private ExecutorService threads;

    StubCentralService() throws IOException {
        this(new ConcurrentHashMap<>(), new CopyOnWriteArrayList<>());
    }

    /** Starts a service that stores where another one does, as one that forwards to it. */
    static StubCentralService beside(StubCentralService other) throws IOException {
        return new StubCentralService(other.stored, other.order);
    }

    private StubCentralService(Map<BatchId, List<TelemetryRecord>> stored, List<BatchId> order)
            throws IOException {
        this.stored = stored;
        this.order = order;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        address = server.getAddress();
        start();
    }

    private void start() {
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
        start();
    }

    void behaviour(Behaviour now) {
        behaviour = now;
    }

    /** Stores batches, then closes the connection without a response. */
    void dropResponses(boolean now) {
        dropResponses = now;
    }

    void retryAfter(String seconds) {
        retryAfter = seconds;
    }

    /** Sets the name of this run; null: not reported. */
    void name(String now) {
        name = now;
    }

    /** Adds members to every response: {@code ,"name":value}. */
    void adds(String members) {
        extraMembers = members;
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
            Integer status = behaviour.status(request, id);
            if (status != null) {
                if (retryAfter != null) {
                    exchange.getResponseHeaders().add("Retry-After", retryAfter);
                }
                respond(exchange, status, "{\"title\":\"test failure\",\"status\":" + status + "}");
                return;
            }
            boolean duplicate = stored.putIfAbsent(id, decoded.batch().records()) != null;
            if (!duplicate) {
                order.add(id);
            }
            if (dropResponses) {
                return;
            }
            respond(
                    exchange,
                    200,
                    "{\"batch\":\"" + id + "\",\"records\":"
                            + decoded.batch().records().size() + ",\"duplicate\":" + duplicate
                            + extraMembers + "}");
        } catch (MalformedBatchException e) {
            respond(exchange, 400, e.getMessage());
        }
    }

    private static void respond(HttpExchange exchange, int status, String body) throws IOException {
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
