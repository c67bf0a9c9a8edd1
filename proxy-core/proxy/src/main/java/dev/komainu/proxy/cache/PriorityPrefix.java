package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.CacheKey;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * What has priority: everything whose URL begins so, or only what lies directly in a directory, as
 * the paper has it.
 *
 * <table><caption>How it is written</caption>
 * <tr><td>{@code /news/}</td><td>every path that begins so, on any host</td></tr>
 * <tr><td>{@code /news/**}</td><td>the same</td></tr>
 * <tr><td>{@code /news/*}</td><td>only what lies directly in that directory, itself included</td></tr>
 * <tr><td>{@code www.example.org/news/}</td><td>on that host only; {@code /*} and {@code /**} as above</td></tr>
 * <tr><td>{@code www.example.org}</td><td>all of that host</td></tr>
 * </table>
 *
 * The text is compared as it is, as a purge's prefix is: {@code /news} is also the beginning of
 * {@code /newsletter}.
 *
 * @param text as keys are written: {@code host[:port]/path}, or {@code /path} for any host
 * @param directly only what lies directly there
 */
public record PriorityPrefix(String text, boolean directly) {

    private static final String EXPECTED =
            " (expected: /PATH, HOST or HOST/PATH; with /* at the end for what lies directly there)";

    /** @throws IllegalArgumentException naming the value and what was expected */
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

    /** As settings and pages write it. */
    public String written() {
        return directly ? text + "*" : text;
    }
}
