package dev.komainu.proxy.route;

/**
 * Why a request is not served by an origin.
 *
 * @param status 200, 400, 403, 404 or 501
 * @param message one sentence for people
 */
public record Refusal(int status, String message) {

    static final Refusal NO_ROUTE = new Refusal(404, "No origin is configured for this address");
    static final Refusal NOT_FORWARD =
            new Refusal(400, "This is a forward proxy: an absolute http:// target is expected");
    static final Refusal CONNECT_HERE = new Refusal(501, "CONNECT is served by forward proxies only");
    static final Refusal CONNECT_PORT = new Refusal(403, "CONNECT to this port is not allowed");
    /** RFC 9110 section 7.6.2: with no hop left, the recipient answers as if it were the last. */
    static final Refusal LAST_HOP = new Refusal(200, "Max-Forwards is spent: this proxy answers itself");

    static final Refusal TRACE = new Refusal(501, "TRACE is not served");
}
