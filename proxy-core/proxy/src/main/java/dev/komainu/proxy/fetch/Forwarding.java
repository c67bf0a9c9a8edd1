package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.message.Ascii;
import dev.komainu.intermediary.message.Fields;
import java.util.Locale;
import java.util.Set;

/**
 * The fields with which a client could act as a proxy in front of this one, or request another URI
 * or method than its request line does. No cache key contains them, so a response that depends on
 * them would be stored for all clients (cache poisoning); origins that trust them would accept
 * forged addresses. They are left out unless {@link ForwardingSettings} lets them pass.
 *
 * <p>Many origins read {@code X_Forwarded_For} as {@code X-Forwarded-For} (CGI, RFC 3875 section
 * 4.1.18), and {@code Content_Length} as {@code Content-Length}: such names with underscores are
 * left out, too.
 */
final class Forwarding {

    private static final Set<String> FORWARDING_FIELDS = Set.of(
            "forwarded", // RFC 7239
            "base-url",
            "cf-connecting-ip",
            "client-ip",
            "cluster-client-ip",
            "fastly-client-ip",
            "front-end-https",
            "proxy", // CGI passes it to programs as HTTP_PROXY
            "request-uri",
            "true-client-ip",
            "x-backend-host",
            "x-client-ip",
            "x-cluster-client-ip",
            "x-envoy-original-path",
            "x-forwarded",
            "x-host",
            "x-http-destinationurl",
            "x-http-host-override",
            "x-middleware-subrequest",
            "x-original-forwarded-for",
            "x-original-host",
            "x-original-uri",
            "x-original-url",
            "x-originating-ip",
            "x-proxy-url",
            "x-proxyuser-ip",
            "x-real-ip",
            "x-remote-addr",
            "x-remote-ip",
            "x-rewrite-uri",
            "x-rewrite-url",
            "x-script-name",
            "x-url-scheme");
    /**
     * The fields that override the method. Frameworks apply them to POST, which is never stored; on
     * a request whose response may be stored they can only poison the cache.
     */
    private static final Set<String> METHOD_OVERRIDES =
            Set.of("x-http-method", "x-http-method-override", "x-method-override");

    /** The fields that an origin must never receive a second time under another spelling. */
    private static final Set<String> MANAGED = Set.of(
            "host",
            "content-length",
            "transfer-encoding",
            "connection",
            "expect",
            "te",
            "trailer",
            "upgrade",
            "via",
            "keep-alive",
            "proxy-connection",
            "proxy-authorization");

    private Forwarding() {}

    /**
     * Reports whether a field is left out.
     *
     * @param storable whether the response may be served to other clients
     */
    static boolean isOmitted(
            Fields fields, int index, boolean storable, ForwardingSettings settings) {
        byte[] bytes = fields.bytes();
        int from = fields.nameFrom(index);
        int end = from + fields.nameLength(index);
        boolean hasUnderscore = false;
        for (int p = from; p < end; p++) {
            hasUnderscore |= bytes[p] == '_';
        }
        // All these names begin with one of a few letters; other names need no string.
        if (!hasUnderscore && "bcfprtx".indexOf(Ascii.lower(bytes[from])) < 0) {
            return false;
        }
        String name = fields.nameAt(index).toLowerCase(Locale.ROOT).replace('_', '-');
        if (hasUnderscore && MANAGED.contains(name)) {
            return true;
        }
        boolean isForwarding = name.startsWith("x-forwarded-") || FORWARDING_FIELDS.contains(name);
        return (isForwarding || (storable && METHOD_OVERRIDES.contains(name)))
                && (hasUnderscore || !settings.passes(name));
    }
}
