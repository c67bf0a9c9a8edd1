package dev.komainu.organizer.line;

import io.netty.channel.ConnectTimeoutException;
import java.net.NoRouteToHostException;

/** What befell a connection, for who knows neither Netty's functions nor the kernel's numbers. */
final class SocketFault {

    private SocketFault() {}

    static String inWords(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        if (cause instanceof NoRouteToHostException || message.contains("unreachable")) {
            return "no way there (no route to host)";
        }
        if (cause instanceof ConnectTimeoutException || message.contains("timed out")) {
            return "nobody answers (timed out)";
        }
        if (message.contains("Connection refused")) {
            return "nobody listens there (connection refused)";
        }
        return message.contains("Connection reset") || message.contains("Broken pipe")
                ? "the connection was broken (reset)"
                : message;
    }
}
