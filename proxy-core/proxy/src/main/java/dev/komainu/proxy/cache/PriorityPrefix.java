package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.CacheKey;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A prefix of URLs with priority: each URL that starts with it, or only those directly in a
 * directory, as in the paper.
 *
 * <table><caption>Notation</caption>
 * <tr><td>{@code /news/}</td><td>each path with this prefix, on any host</td></tr>
 * <tr><td>{@code /news/**}</td><td>the same</td></tr>
 * <tr><td>{@code /news/*}</td><td>only URLs directly in this directory, itself included</td></tr>
 * <tr><td>{@code www.example.org/news/}</td><td>on this host only; {@code /*} and {@code /**} as above</td></tr>
 * <tr><td>{@code www.example.org}</td><td>all of this host</td></tr>
 * </table>
 *
 * The text is compared literally, like a purge's prefix: {@code /news} is also a prefix of
 * {@code /newsletter}.
 *
 * @param text in the form of keys: {@code host[:port]/path}, or {@code /path} for any host
 * @param directly whether only URLs directly in this directory match
 */
public record PriorityPrefix(String text, boolean directly) {

    private static final String EXPECTED =
            " (expected: /PATH, HOST or HOST/PATH; /* at the end: only URLs directly there)";

    /**
     * Parses a setting's value.
     *
     * @throws IllegalArgumentException with the value and the expected form
     */
    public static PriorityPrefix parse(String written) {
        String bare = written.strip().replaceFirst("^(?i)https?://", "");
        boolean directly = bare.endsWith("/*");
        if (directly || bare.endsWith("/**")) {
            bare = bare.substring(0, bare.lastIndexOf('/') + 1);
        }
        if (bare.isEmpty()
                || !bare.chars().allMatch(c -> c > ' ' && c < 127 && c != '*' && c != ',')) {
            throw new IllegalArgumentException(written + EXPECTED);
        }
        int slash = bare.indexOf('/');
        if (slash == 0) {
            return new PriorityPrefix(bare, directly);
        }
        String host = (slash < 0 ? bare : bare.substring(0, slash)).toLowerCase(Locale.ROOT);
        return new PriorityPrefix(
                CacheKey.of(host, slash < 0 ? "/" : bare.substring(slash)).toString(), directly);
    }

    boolean isForAnyHost() {
        return text.charAt(0) == '/';
    }

    byte[] bytes() {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Returns the prefix as written in settings and on pages. */
    public String written() {
        return directly ? text + "*" : text;
    }
}
