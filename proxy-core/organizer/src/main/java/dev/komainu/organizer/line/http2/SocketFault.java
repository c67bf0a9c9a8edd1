package dev.komainu.organizer.line.http2;

import dev.komainu.intermediary.connection.Errno;
import io.netty.channel.ConnectTimeoutException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;

/** A readable cause for a failed socket operation. */
final class SocketFault {

    private static final String NO_ROUTE = "the peer is unreachable (no route to host)";
    private static final String TIMED_OUT = "the peer does not respond (timed out)";
    private static final String REFUSED = "no process listens on the port (connection refused)";
    private static final String RESET = "the peer closed the connection (reset)";

    private SocketFault() {}

    static String inWords(Throwable cause) {
        return switch (Errno.of(cause)) {
            case Errno.ENETUNREACH, Errno.EHOSTUNREACH -> NO_ROUTE;
            case Errno.ETIMEDOUT -> TIMED_OUT;
            case Errno.ECONNREFUSED -> REFUSED;
            case Errno.ECONNRESET, Errno.EPIPE -> RESET;
            default -> inWordsWithoutNumber(cause, String.valueOf(cause.getMessage()));
        };
    }

    /** The JDK's own sockets give a text only, part of it in the user's language. */
    private static String inWordsWithoutNumber(Throwable cause, String message) {
        if (cause instanceof NoRouteToHostException || message.contains("unreachable")) {
            return NO_ROUTE;
        }
        if (cause instanceof ConnectTimeoutException || message.contains("timed out")) {
            return TIMED_OUT;
        }
        if (cause instanceof ConnectException) {
            return REFUSED;
        }
        return message.contains("Connection reset") || message.contains("Broken pipe")
                ? RESET
                : message;
    }
}
