package dev.komainu.organizer.front;

import dev.komainu.intermediary.upstream.OriginFailure;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The reasons why a request received no response of a server, each with the status for the client
 * and the error type of RFC 9209 (section 2.3).
 */
public enum GatewayError {
    /** No member serves this prefix. */
    NO_ROUTE(404, "destination_not_found", true),
    /** All members that serve it are stopped or unreachable. */
    ALL_DOWN(503, "destination_unavailable", true),
    /** The request was at this member before, or at too many others. */
    LOOP(502, "proxy_loop_detected", true),
    /** The request is for the cache itself, and this client may not manage it. */
    NOT_ALLOWED(403, "http_request_denied", false),
    /** The head cannot be written in HTTP/1.1. */
    MALFORMED_REQUEST(400, "http_request_error", true),
    /** No connection to the member's line. */
    LINE_DOWN(503, "destination_unavailable", true),
    /** The line broke: the member may have processed the request. */
    LINE_LOST(502, "connection_terminated", false),
    /** The server refused the connection. */
    SERVER_REFUSED(502, "connection_refused", true),
    /** The server's name has no address. */
    SERVER_UNKNOWN(502, "dns_error", true),
    /** The server did not respond to the connection attempt. */
    CONNECT_TIMEOUT(504, "connection_timeout", true),
    /** The server has its maximum of connections, and none became free in time. */
    SERVER_BUSY(503, "connection_limit_reached", true),
    /** This member has no free descriptor or local port for a connection to the server. */
    SHORTAGE(503, "proxy_internal_error", true),
    /** The server accepted the request and did not respond in time. */
    SERVER_SILENT(504, "connection_read_timeout", false),
    /** The server closed the connection before its response was complete. */
    SERVER_BROKE(502, "connection_terminated", false),
    /** The server's response is not valid HTTP. */
    MALFORMED_ANSWER(502, "http_protocol_error", false);

    private final int status;
    private final String error;
    private final boolean untouched;

    GatewayError(int status, String error, boolean untouched) {
        this.status = status;
        this.error = error;
        this.untouched = untouched;
    }

    /** Returns the HTTP status for the client. */
    public int status() {
        return status;
    }

    /** Returns the error type in {@code Proxy-Status}. */
    public String error() {
        return error;
    }

    /**
     * Reports whether no server has seen the request. Then a request with any method may be sent to
     * another member.
     */
    public boolean isUntouched() {
        return untouched;
    }

    /** Returns the name in metrics and log lines. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static GatewayError of(OriginFailure failure) {
        return switch (failure.code()) {
            case "connect-failed" -> SERVER_REFUSED;
            case "connect-timeout" -> CONNECT_TIMEOUT;
            case "unknown-host" -> SERVER_UNKNOWN;
            case "origin-limit" -> SERVER_BUSY;
            case "out-of-descriptors", "out-of-ports" -> SHORTAGE;
            case "response-timeout", "slow-body" -> SERVER_SILENT;
            case "malformed-answer", "surplus-bytes", "unasked-upgrade", "endless-interims" ->
                MALFORMED_ANSWER;
            default -> SERVER_BROKE;
        };
    }

    /**
     * Returns the reason in a response head that a peer's organizer made; null: the response is of
     * a server.
     */
    public static @Nullable GatewayError in(Http2Headers head) {
        CharSequence reason = head.get(HeadConversion.REFUSAL);
        if (reason == null) {
            return null;
        }
        for (GatewayError error : values()) {
            if (error.text().contentEquals(reason)) {
                return error;
            }
        }
        return SERVER_BROKE;
    }
}
