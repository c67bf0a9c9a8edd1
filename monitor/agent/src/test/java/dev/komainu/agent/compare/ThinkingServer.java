package dev.komainu.agent.compare;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An origin that thinks as long, and says as much, as it is told: {@code /think?ms=30&bytes=5000}.
 */
public final class ThinkingServer {

    private static final Pattern MILLIS = Pattern.compile("ms=(\\d+)");
    private static final Pattern BYTES = Pattern.compile("bytes=(\\d+)");

    private ThinkingServer() {}

    public static void main(String[] args) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        HttpServer server =
                HttpServer.create(new InetSocketAddress(loopback, Integer.parseInt(args[0])), 100);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/think", ThinkingServer::answer);
        server.start();
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            String query = exchange.getRequestURI().getQuery();
            Thread.sleep(number(MILLIS, query, 0));
            byte[] body = "x".repeat(number(BYTES, query, 100)).getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int number(Pattern pattern, String query, int otherwise) {
        Matcher found = pattern.matcher(query == null ? "" : query);
        return found.find() ? Integer.parseInt(found.group(1)) : otherwise;
    }
}
