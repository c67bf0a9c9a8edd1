package dev.komainu.intermediary.upstream;

import io.netty.channel.ConnectTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Why an origin gave no answer, or no whole one.
 *
 * @param status what a client is told when nothing was sent to it yet: 403, 502, 503 or 504
 * @param code short and stable, such as {@code connect-timeout}
 * @param message one sentence for people, safe to show
 * @param beforeAnswer no byte of an answer had arrived: a safe request may be tried again elsewhere
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
