package dev.komainu.organizer.route;

import java.util.Locale;

/**
 * A prefix of the URL space: {@code HOST/PATH}. The host is a name in URLs and need not exist in
 * DNS (paper 004, 2.2).
 *
 * <p>A path matches as text, byte for byte: {@code /shop} covers {@code /shopping}, too;
 * {@code /shop/} does not.
 *
 * @param host in lower case, with {@code :PORT} when it is not the scheme's default; {@code *} for
 *     every host
 * @param path beginning with {@code /}
 */
public record UrlPrefix(String host, String path) implements Comparable<UrlPrefix> {

    public static final String ANY_HOST = "*";
    private static final int MAX_LENGTH = 2048;

    /**
     * Validates the prefix.
     *
     * @throws IllegalArgumentException naming the expected form
     */
    public UrlPrefix {
        if (!host.equals(ANY_HOST)
                && !host.matches(
                        "(\\[[0-9a-f:.]+]|[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?)(:[0-9]{1,5})?")) {
            throw new IllegalArgumentException(
                    host + path + " (expected: HOST/PATH, or */PATH for every host)");
        }
        if (!path.startsWith("/") || host.length() + path.length() > MAX_LENGTH || !isPlain(path)) {
            throw new IllegalArgumentException(host + path + " (expected: HOST/PATH of at most "
                    + MAX_LENGTH + " visible ASCII characters without ? and #)");
        }
    }

    /**
     * Parses {@code www.example.com/shop/}, {@code www.example.com} (every path) or {@code * /path}
     * without the blank.
     *
     * @throws IllegalArgumentException naming the text and the expected form
     */
    public static UrlPrefix parse(String text) {
        if (text.contains("://")) {
            throw new IllegalArgumentException(text + " (expected: HOST/PATH without a scheme)");
        }
        int slash = text.indexOf('/');
        return slash < 0
                ? new UrlPrefix(text.toLowerCase(Locale.ROOT), "/")
                : new UrlPrefix(
                        text.substring(0, slash).toLowerCase(Locale.ROOT), text.substring(slash));
    }

    private static boolean isPlain(String path) {
        return path.chars().allMatch(c -> c > ' ' && c < 127 && c != '?' && c != '#');
    }

    /** Reports whether this prefix covers each URL of another. */
    public boolean covers(UrlPrefix other) {
        return (host.equals(ANY_HOST) || host.equals(other.host)) && other.path.startsWith(path);
    }

    /**
     * Reports whether this prefix covers every URL with the given beginning.
     *
     * @param text {@code HOST/PATH}, any text; without a slash the beginning of host names
     */
    public boolean coversAll(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return host.equals(ANY_HOST) && path.equals("/");
        }
        return (host.equals(ANY_HOST) || host.equals(text.substring(0, slash)))
                && text.startsWith(path, slash);
    }

    @Override
    public int compareTo(UrlPrefix other) {
        int byHost = host.compareTo(other.host);
        return byHost != 0 ? byHost : path.compareTo(other.path);
    }

    @Override
    public String toString() {
        return host + path;
    }
}
