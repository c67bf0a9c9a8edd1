package dev.komainu.proxy.route;

/**
 * The reason why a request is not sent to an origin.
 *
 * @param status 200, 400, 403, 404 or 501
 * @param message one sentence for readers
 */
public record RouteRefusal(int status, String message) {

    static final RouteRefusal NO_ROUTE =
            new RouteRefusal(404, "No origin is configured for this address");
    static final RouteRefusal NOT_FORWARD = new RouteRefusal(
            400, "This is a forward proxy: an absolute http:// target is expected");
    static final RouteRefusal CONNECT_HERE =
            new RouteRefusal(501, "CONNECT is served by forward proxies only");
    static final RouteRefusal CONNECT_PORT =
            new RouteRefusal(403, "CONNECT to this port is not allowed");
    /** RFC 9110 section 7.6.2: with no hop left, the recipient responds as if it were the last. */
    static final RouteRefusal LAST_HOP =
            new RouteRefusal(200, "Max-Forwards is 0: this proxy responds itself");

    static final RouteRefusal TRACE = new RouteRefusal(501, "TRACE is not served");
}
