package dev.komainu.agent.discovery.configuration;

import dev.komainu.telemetry.record.Endpoint;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An upstream server as a configuration names it.
 *
 * @param address {@code HOST:PORT}, IPv6 in brackets, or {@code unix:PATH}; never a user, a path or
 *     a query
 * @param endpoint its address and port; absent for a host name, which is not resolved, and for a
 *     Unix socket
 * @param source file and line that name it
 */
public record Upstream(String address, @Nullable Endpoint endpoint, String source) {

    private static final Pattern URL =
            Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]*)://([^/?#\\s]*).*");
    private static final Pattern HOST_PORT = Pattern.compile(
            "(\\[[0-9a-fA-F:.]{2,45}]|[A-Za-z0-9_][A-Za-z0-9_.-]{0,252})(?::(\\d{1,5}))?");
    private static final Pattern UNIX = Pattern.compile("unix:(/[A-Za-z0-9_./@-]{1,107}).*");
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(?:\\.\\d{1,3}){3}");

    /**
     * Parses the address of an upstream server.
     *
     * @param written {@code HOST}, {@code HOST:PORT}, {@code SCHEME://[USER@]HOST[:PORT]/…} or
     *     {@code unix:PATH}
     * @param defaultPort the port when neither the text nor its scheme gives one
     * @return null when the text has no plain address, such as one with a variable
     */
    public static @Nullable Upstream parse(String written, int defaultPort, String source) {
        Matcher unix = UNIX.matcher(written.replaceFirst("^[a-z]+://(?=unix:)", ""));
        if (unix.matches()) {
            return new Upstream("unix:" + unix.group(1), null, source);
        }
        int port = defaultPort;
        String authority = written;
        Matcher url = URL.matcher(written);
        if (url.matches()) {
            authority = url.group(2) == null ? "" : url.group(2);
            port = portOf(url.group(1), defaultPort);
        }
        authority = authority.substring(authority.lastIndexOf('@') + 1);
        Matcher place = HOST_PORT.matcher(authority);
        if (!place.matches()) {
            return null;
        }
        String host = place.group(1);
        String number = place.group(2);
        if (number != null) {
            port = Integer.parseInt(number);
        }
        if (host == null || port < 1 || port > 65_535) {
            return null;
        }
        String address = host + ":" + port;
        return new Upstream(address, literal(host, address), source);
    }

    private static @Nullable Endpoint literal(String host, String address) {
        if (!host.startsWith("[") && !IPV4.matcher(host).matches()) {
            return null;
        }
        try {
            return Endpoint.parse(address);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static int portOf(@Nullable String scheme, int fallback) {
        return switch (scheme == null ? "" : scheme) {
            case "http", "ws", "h2c" -> 80;
            case "https", "wss", "h2" -> 443;
            case "ajp" -> 8009;
            case "fcgi" -> 8000;
            case "scgi" -> 4000;
            case "uwsgi" -> 3031;
            default -> fallback;
        };
    }
}
