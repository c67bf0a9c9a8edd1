package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.message.Ascii;
import dev.komainu.intermediary.message.Fields;
import java.util.Locale;
import java.util.Set;

/**
 * Fields by which a client could pose as a proxy before this one, or ask for another URI or method
 * than its request line does. No cache key holds them, so an answer they changed would be stored
 * for everybody (cache poisoning); origins that trust them believe invented addresses. They are
 * left out unless {@link ForwardingSettings} lets them pass.
 *
 * <p>Many origins read {@code X_Forwarded_For} as {@code X-Forwarded-For} (CGI, RFC 3875 section
 * 4.1.18), and {@code Content_Length} as {@code Content-Length}: such twins are left out too.
 */
final class Forwarding {

    private static final Set<String> POSING = Set.of(
            "forwarded", // RFC 7239
            "base-url",
            "cf-connecting-ip",
            "client-ip",
            "cluster-client-ip",
            "fastly-client-ip",
            "front-end-https",
            "proxy", // CGI hands it to programs as HTTP_PROXY
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
     * Frameworks obey these on POST, which is never stored; on a request whose answer may be stored
     * they only deceive.
     */
    private static final Set<String> METHODS =
            Set.of("x-http-method", "x-http-method-override", "x-method-override");

    /** What an origin must never see a second time under another spelling. */
    private static final Set<String> OURS = Set.of(
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

    /** @param storable whether the answer may be served to others */
    static boolean leftOut(
            Fields fields, int index, boolean storable, ForwardingSettings settings) {
        byte[] bytes = fields.bytes();
        int from = fields.nameFrom(index);
        int end = from + fields.nameLength(index);
        boolean twin = false;
        for (int p = from; p < end; p++) {
            twin |= bytes[p] == '_';
        }
        // All these names begin with one of a few letters: for the others no text is made.
        if (!twin && "bcfprtx".indexOf(Ascii.lower(bytes[from])) < 0) {
            return false;
        }
        String name = fields.nameAt(index).toLowerCase(Locale.ROOT).replace('_', '-');
        if (twin && OURS.contains(name)) {
            return true;
        }
        boolean posing = name.startsWith("x-forwarded-") || POSING.contains(name);
        return (posing || storable && METHODS.contains(name)) && (twin || !settings.passes(name));
    }
}
