package dev.komainu.load.browser;

import dev.komainu.intermediary.connection.Errno;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;

/** The reason why an object was not received. */
public enum RequestFailure {
    /** The connection was refused, or the host is unreachable. */
    REFUSED,
    /** The request timed out. */
    TIMED_OUT,
    /** The connection ended before the response did. */
    BROKEN,
    /** The bytes received are not HTTP, or not of the negotiated version. */
    MALFORMED,
    /**
     * This machine had no port, descriptor or memory for another connection: a limit of the load,
     * not of the server.
     */
    OWN_LIMIT;

    static RequestFailure ofConnect(Throwable cause) {
        return switch (cause) {
            case io.netty.channel.ConnectTimeoutException e -> TIMED_OUT;
            case NoRouteToHostException e -> REFUSED;
            case PortUnreachableException e -> REFUSED;
            case ConnectException e -> REFUSED;
            case java.net.BindException e -> OWN_LIMIT;
            case javax.net.ssl.SSLException e -> MALFORMED;
            default -> Errno.isOutOfDescriptors(cause) ? OWN_LIMIT : BROKEN;
        };
    }
}
