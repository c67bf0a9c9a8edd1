package dev.komainu.intermediary.upstream;

import io.netty.channel.ConnectTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The reason why an origin sent no response, or no complete one.
 *
 * @param status for a client that has received no byte yet: 403, 502, 503 or 504
 * @param code short and stable, such as {@code connect-timeout}
 * @param message one sentence for readers, safe to show
 * @param beforeAnswer no byte of a response had arrived: a safe request may be retried elsewhere
 */
public record OriginFailure(int status, String code, String message, boolean beforeAnswer) {

    static OriginFailure unknownHost(UpstreamServer server) {
        return new OriginFailure(
                502, "unknown-host", "No address is known for " + server.host(), true);
    }

    static OriginFailure unconnected(
            UpstreamServer server, @Nullable Throwable cause, long timeoutMillis) {
        return cause instanceof ConnectTimeoutException
                ? new OriginFailure(
                        504,
                        "connect-timeout",
                        "No connection to " + server + " after " + timeoutMillis + " ms",
                        true)
                : new OriginFailure(502, "connect-failed", "No connection to " + server, true);
    }
}
