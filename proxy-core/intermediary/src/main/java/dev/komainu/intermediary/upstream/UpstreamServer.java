package dev.komainu.intermediary.upstream;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * A server that requests are sent to. A name may resolve to several addresses; they are tried in
 * turn.
 *
 * @param secure https: TLS with a certificate that is verified for {@code host}
 * @param host name or literal address, lower case, IPv6 without brackets
 * @param port 1 to 65535; 0 only in {@link Origin#CLUSTER}
 */
public record UpstreamServer(boolean secure, String host, int port) {

    /**
     * Reads {@code http://host[:port]} or {@code https://host[:port]}. A path is rejected.
     *
     * @throws IllegalArgumentException with the text and the expected form
     */
    static UpstreamServer parse(String text) {
        try {
            URI uri = new URI(text);
            String path = uri.getRawPath();
            boolean secure = "https".equalsIgnoreCase(uri.getScheme());
            if ((secure || "http".equalsIgnoreCase(uri.getScheme()))
                    && uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && (path == null || path.isEmpty() || path.equals("/"))) {
                return of(
                        secure,
                        uri.getHost(),
                        uri.getPort() < 0 ? secure ? 443 : 80 : uri.getPort());
            }
        } catch (URISyntaxException e) {
            // Reported below.
        }
        throw new IllegalArgumentException(
                text + " (expected: http://HOST[:PORT] or https://… without a path)");
    }

    static UpstreamServer of(boolean secure, String host, int port) {
        String bare = host.startsWith("[") && host.endsWith("]")
                ? host.substring(1, host.length() - 1)
                : host;
        if (bare.isEmpty() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException(host + ":" + port + " (expected: HOST:PORT)");
        }
        return new UpstreamServer(secure, bare.toLowerCase(Locale.ROOT), port);
    }

    /** Returns the Host field: without the port when it is the scheme's default. */
    String authority() {
        return port == (secure ? 443 : 80) ? bracketed() : bracketed() + ":" + port;
    }

    private String bracketed() {
        return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    }

    @Override
    public String toString() {
        return bracketed() + ":" + port;
    }
}
