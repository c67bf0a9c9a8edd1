package dev.komainu.intermediary.upstream;

import dev.komainu.intermediary.connection.Errno;
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

    private static final String OUT_OF_DESCRIPTORS = "out-of-descriptors";
    private static final String OUT_OF_PORTS = "out-of-ports";

    static OriginFailure unknownHost(UpstreamServer server) {
        return new OriginFailure(
                502, "unknown-host", "No address is known for " + server.host(), true);
    }

    static OriginFailure unconnected(
            UpstreamServer server, @Nullable Throwable cause, long timeoutMillis) {
        OriginFailure own = cause == null ? null : ofThisHost(server, cause);
        if (own != null) {
            return own;
        }
        return cause instanceof ConnectTimeoutException
                ? new OriginFailure(
                        504,
                        "connect-timeout",
                        "No connection to " + server + " after " + timeoutMillis + " ms",
                        true)
                : new OriginFailure(502, "connect-failed", "No connection to " + server, true);
    }

    /** Returns the failure of a connection that this host could not begin; null for others. */
    private static @Nullable OriginFailure ofThisHost(UpstreamServer server, Throwable cause) {
        String without = "No connection to " + server + ": this proxy has no free ";
        // Netty wraps the error of a channel that could not be created.
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (Errno.isOutOfDescriptors(each)) {
                return new OriginFailure(503, OUT_OF_DESCRIPTORS, without + "descriptor", true);
            }
            if (Errno.isOutOfPorts(each)) {
                return new OriginFailure(503, OUT_OF_PORTS, without + "local port", true);
            }
        }
        return null;
    }

    /** Reports whether this host lacks what a connection needs: no server can be blamed. */
    boolean isOfThisHost() {
        return code.equals(OUT_OF_DESCRIPTORS) || code.equals(OUT_OF_PORTS);
    }
}
