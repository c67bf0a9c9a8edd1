package dev.komainu.load.browser;

import dev.komainu.intermediary.connection.Errno;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;

/** Why an object did not come. */
public enum RequestFailure {
    /** The connection was refused, or the host is unreachable. */
    REFUSED,
    /** The visitor lost patience. */
    TIMED_OUT,
    /** The connection ended before the answer did. */
    BROKEN,
    /** What came is no HTTP, or not the version that was agreed on. */
    MALFORMED,
    /**
     * This machine had no port, descriptor or memory for one more connection: the load's own limit,
     * not the server's.
     */
    OWN_LIMIT;

    static RequestFailure ofConnect(Throwable why) {
        return switch (why) {
            case io.netty.channel.ConnectTimeoutException e -> TIMED_OUT;
            case NoRouteToHostException e -> REFUSED;
            case PortUnreachableException e -> REFUSED;
            case ConnectException e -> REFUSED;
            case java.net.BindException e -> OWN_LIMIT;
            case javax.net.ssl.SSLException e -> MALFORMED;
            default -> Errno.isOutOfDescriptors(why) ? OWN_LIMIT : BROKEN;
        };
    }
}
