package dev.komainu.organizer.line;

import dev.komainu.proxy.connection.Errno;
import io.netty.channel.ConnectTimeoutException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;

/** A readable cause for a failed socket operation. */
final class SocketFault {

    private static final String NO_ROUTE = "no way there (no route to host)";
    private static final String TIMED_OUT = "nobody answers (timed out)";

    private SocketFault() {}

    static String inWords(Throwable cause) {
        return switch (Errno.of(cause)) {
            case Errno.ENETUNREACH, Errno.EHOSTUNREACH -> NO_ROUTE;
            case Errno.ETIMEDOUT -> TIMED_OUT;
            case Errno.ECONNREFUSED -> refused();
            case Errno.ECONNRESET, Errno.EPIPE -> "the connection was broken (reset)";
            default ->
                switch (cause) {
                    case NoRouteToHostException e -> NO_ROUTE;
                    case ConnectTimeoutException e -> TIMED_OUT;
                    case ConnectException e -> refused();
                    default -> inWordsByText(String.valueOf(cause.getMessage()));
                };
        };
    }

    private static String refused() {
        return "nobody listens there (connection refused)";
    }

    /** The JDK's own sockets tell a text only, some of it in the user's language. */
    private static String inWordsByText(String message) {
        return message.contains("Connection reset") || message.contains("Broken pipe")
                ? "the connection was broken (reset)"
                : message;
    }
}
