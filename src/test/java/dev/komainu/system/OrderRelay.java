package dev.komainu.system;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The path between an agent and a central service, in the hands of the test: it passes every
 * request on, takes the orders out of the responses, and puts others in.
 */
final class OrderRelay implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpServer server;
    private final HttpClient client = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Set<String> taken = ConcurrentHashMap.newKeySet();
    private final List<String> given = new CopyOnWriteArrayList<>();
    private volatile int central;

    /** @param central port of the central service */
    OrderRelay(int central) throws IOException {
        this.central = central;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::pass);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Passes requests to another service from now on. */
    void leadTo(int other) {
        central = other;
    }

    /** Returns the signed orders that were taken out. */
    Set<String> taken() {
        return Set.copyOf(taken);
    }

    /** Puts a signed order into each response from now on, and no other one. */
    void give(String signed) {
        given.clear();
        given.add(signed);
    }

    private void pass(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            HttpRequest.Builder request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + central + exchange.getRequestURI()))
                    .timeout(Duration.ofSeconds(5))
                    .method(
                            exchange.getRequestMethod(),
                            HttpRequest.BodyPublishers.ofByteArray(body));
            for (String name : List.of("Authorization", "Content-Type", "Content-Encoding")) {
                String value = exchange.getRequestHeaders().getFirst(name);
                if (value != null) {
                    request.header(name, value);
                }
            }
            HttpResponse<byte[]> response;
            try {
                response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            } catch (IOException e) {
                // The service stands still or is on its way.
                exchange.getResponseHeaders().set("Retry-After", "1");
                exchange.sendResponseHeaders(503, -1);
                return;
            }
            byte[] answer = response.statusCode() == 200
                            && exchange.getRequestURI().getPath().equals("/api/v1/ingest")
                    ? exchanged(response.body())
                    : response.body();
            for (String name : List.of("Content-Type", "Komainu-Centre", "Retry-After")) {
                response.headers()
                        .firstValue(name)
                        .ifPresent(value -> exchange.getResponseHeaders().set(name, value));
            }
            exchange.sendResponseHeaders(
                    response.statusCode(), answer.length == 0 ? -1 : answer.length);
            exchange.getResponseBody().write(answer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private byte[] exchanged(byte[] body) {
        ObjectNode response = (ObjectNode) JSON.readTree(body);
        response.path("orders").forEach(order -> taken.add(order.asString()));
        response.remove("orders");
        if (!given.isEmpty()) {
            ArrayNode orders = response.putArray("orders");
            given.forEach(orders::add);
        }
        return JSON.writeValueAsBytes(response);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        client.close();
    }
}
