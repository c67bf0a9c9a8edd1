package dev.komainu.proxy.upstream;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * Where requests are sent: clear-text HTTP to a host and port.
 *
 * @param host name or literal address, lower case, IPv6 without brackets
 * @param port 1 to 65535
 */
public record Origin(String host, int port) {

    /**
     * Reads {@code http://host[:port]}; a path is refused.
     *
     * @throws IllegalArgumentException naming the text and what was expected
     */
    public static Origin parse(String text) {
        try {
            URI uri = new URI(text);
            String path = uri.getRawPath();
            if ("http".equalsIgnoreCase(uri.getScheme())
                    && uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && (path == null || path.isEmpty() || path.equals("/"))) {
                return of(uri.getHost(), uri.getPort() < 0 ? 80 : uri.getPort());
            }
        } catch (URISyntaxException e) {
            // told below
        }
        throw new IllegalArgumentException(text + " (expected: http://HOST[:PORT] without a path)");
    }

    /**
     * Reads {@code host[:port]} of a request that was found well-formed.
     *
     * @throws IllegalArgumentException when it is not
     */
    public static Origin ofAuthority(String authority, int defaultPort) {
        int bracket = authority.lastIndexOf(']');
        int colon = authority.indexOf(':', Math.max(0, bracket));
        String host = colon < 0 ? authority : authority.substring(0, colon);
        return of(host, colon < 0 ? defaultPort : Integer.parseInt(authority.substring(colon + 1)));
    }

    private static Origin of(String host, int port) {
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        if (bare.isEmpty() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException(host + ":" + port + " (expected: HOST:PORT)");
        }
        return new Origin(bare.toLowerCase(Locale.ROOT), port);
    }

    /** For a Host field: the port is left out when it is 80. */
    public String authority() {
        String shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port == 80 ? shown : shown + ":" + port;
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
