package dev.komainu.intermediary.control;

import java.util.LinkedHashMap;
import java.util.Map;

/** The responses of a control endpoint: JSON, text, and problems (RFC 9457). */
public final class ControlResponse {

    private ControlResponse() {}

    /** Sends a problem (RFC 9457). */
    public static void problem(ControlExchange exchange, int status, String title, String detail) {
        problem(exchange, status, title, detail, Map.of());
    }

    /** Sends a problem (RFC 9457) with members beyond the usual four. */
    public static void problem(
            ControlExchange exchange,
            int status,
            String title,
            String detail,
            Map<String, ?> more) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("type", "about:blank");
        members.put("title", title);
        members.put("status", status);
        members.put("detail", detail);
        members.putAll(more);
        send(exchange, status, "application/problem+json", JsonText.object(members));
    }

    /** Sends one JSON object. */
    public static void send(ControlExchange exchange, int status, Map<String, ?> members) {
        send(exchange, status, "application/json", JsonText.object(members));
    }

    /** Sends a text of any media type. */
    public static void send(ControlExchange exchange, int status, String type, String text) {
        exchange.setHeader("Content-Type", type);
        exchange.setHeader("X-Content-Type-Options", "nosniff");
        exchange.setHeader("Cache-Control", "no-store");
        exchange.respond(status, text);
    }

    /** Reports whether a method is supported. Sends the error response itself when it is not. */
    public static boolean allowed(ControlExchange exchange, String... methods) {
        for (String method : methods) {
            if (exchange.method().equals(method)) {
                return true;
            }
        }
        exchange.setHeader("Allow", String.join(", ", methods));
        problem(
                exchange,
                405,
                "Method Not Allowed",
                "This method is not supported by this resource");
        return false;
    }
}
