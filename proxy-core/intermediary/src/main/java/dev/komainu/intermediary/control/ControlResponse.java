package dev.komainu.intermediary.control;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** The responses of a control endpoint: JSON, text, and problems (RFC 9457). */
public final class ControlResponse {

    private ControlResponse() {}

    /** Sends a problem (RFC 9457). */
    public static void problem(HttpExchange exchange, int status, String title, String detail)
            throws IOException {
        problem(exchange, status, title, detail, Map.of());
    }

    /** Sends a problem (RFC 9457) with members beyond the usual four. */
    public static void problem(
            HttpExchange exchange, int status, String title, String detail, Map<String, ?> more)
            throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("type", "about:blank");
        members.put("title", title);
        members.put("status", status);
        members.put("detail", detail);
        members.putAll(more);
        send(exchange, status, "application/problem+json", JsonText.object(members));
    }

    /** Sends one JSON object. */
    public static void send(HttpExchange exchange, int status, Map<String, ?> members)
            throws IOException {
        send(exchange, status, "application/json", JsonText.object(members));
    }

    /** Sends a text of any media type. */
    public static void send(HttpExchange exchange, int status, String type, String text)
            throws IOException {
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
}
