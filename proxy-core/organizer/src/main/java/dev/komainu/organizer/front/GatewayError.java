package dev.komainu.organizer.front;

import dev.komainu.intermediary.upstream.OriginFailure;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why a request got no answer of a server: the status for its client, and the error of RFC 9209
 * (section 2.3).
 */
public enum GatewayError {
    /** Nobody serves this prefix. */
    NO_ROUTE(404, "destination_not_found", true),
    /** All who serve it are stopped, or cannot be reached. */
    ALL_DOWN(503, "destination_unavailable", true),
    /** It was here already, or with too many others. */
    LOOP(502, "proxy_loop_detected", true),
    /** The head cannot be written in HTTP/1.1. */
    MALFORMED_REQUEST(400, "http_request_error", true),
    /** No connection to the member's line. */
    LINE_DOWN(503, "destination_unavailable", true),
    /** The line broke: the member may have acted. */
    LINE_LOST(502, "connection_terminated", false),
    /** Its server took no connection. */
    SERVER_REFUSED(502, "connection_refused", true),
    /** Its server's name has no address. */
    SERVER_UNKNOWN(502, "dns_error", true),
    /** Its server said nothing to a connection. */
    CONNECT_TIMEOUT(504, "connection_timeout", true),
    /** Its server has as many connections as it may have, and none became free in time. */
    SERVER_BUSY(503, "connection_limit_reached", true),
    /** Its server took the request, and was silent. */
    SERVER_SILENT(504, "connection_read_timeout", false),
    /** Its server closed the connection before its answer was complete. */
    SERVER_BROKE(502, "connection_terminated", false),
    /** What its server said is no HTTP. */
    MALFORMED_ANSWER(502, "http_protocol_error", false);

    private final int status;
    private final String error;
    private final boolean untouched;

    GatewayError(int status, String error, boolean untouched) {
        this.status = status;
        this.error = error;
        this.untouched = untouched;
    }

    public int status() {
        return status;
    }

    /** As {@code Proxy-Status} names it. */
    public String error() {
        return error;
    }

    /**
     * Whether no server has seen anything of the request: then any method may be sent to another.
     */
    public boolean isUntouched() {
        return untouched;
    }

    /** As figures and lines name it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static GatewayError of(OriginFailure failure) {
        return switch (failure.code()) {
            case "connect-failed" -> SERVER_REFUSED;
            case "connect-timeout" -> CONNECT_TIMEOUT;
            case "unknown-host" -> SERVER_UNKNOWN;
            case "origin-limit" -> SERVER_BUSY;
            case "response-timeout", "slow-body" -> SERVER_SILENT;
            case "malformed-answer", "surplus-bytes", "unasked-upgrade", "endless-interims" ->
                MALFORMED_ANSWER;
            default -> SERVER_BROKE;
        };
    }

    /**
     * What a peer's organizer says of its server, in an answer's head; absent: it is a server's
     * answer.
     */
    public static @Nullable GatewayError in(Http2Headers head) {
        CharSequence said = head.get(HeadConversion.REFUSAL);
        if (said == null) {
            return null;
        }
        for (GatewayError refusal : values()) {
            if (refusal.text().contentEquals(said)) {
                return refusal;
            }
        }
        return SERVER_BROKE;
    }
}
