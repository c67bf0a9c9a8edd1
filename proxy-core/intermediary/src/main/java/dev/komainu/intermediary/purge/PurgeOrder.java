package dev.komainu.intermediary.purge;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Labels;
import dev.komainu.intermediary.message.Ascii;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * An order to drop stored responses.
 *
 * @param soft true: make them stale instead, so that the next request revalidates them
 * @param dryRun true: only count the responses it would affect
 */
public record PurgeOrder(Target target, boolean soft, boolean dryRun) {

    private static final int MAX_TAGS = 256;

    /** The target of an order. */
    public sealed interface Target {}

    /** One URI with all its variants. */
    public record Uri(CacheKey key) implements Target {}

    /**
     * Every URI that begins with a text.
     *
     * @param text as keys are written: {@code host/path}; empty for everything
     */
    public record Prefix(String text) implements Target {

        public byte[] bytes() {
            return Ascii.bytes(text);
        }
    }

    /** Every response with any of these labels. */
    public record Labelled(List<String> labels) implements Target {}

    /**
     * Returns the same order, extended to all copies when it names a tag: the tags of copies are
     * unknown here.
     */
    public PurgeOrder withCopies() {
        if (!(target instanceof Labelled labelled)
                || labelled.labels().stream().noneMatch(Labels::isTag)) {
            return this;
        }
        List<String> all = new ArrayList<>(labelled.labels());
        all.add(Labels.COPY);
        return new PurgeOrder(new Labelled(List.copyOf(all)), soft, dryRun);
    }

    public static PurgeOrder of(Target target) {
        return new PurgeOrder(target, false, false);
    }

    /**
     * Returns the target for an absolute URL.
     *
     * @throws IllegalArgumentException with the value and the expected form
     */
    public static Uri url(String url) {
        String expected = " (expected: http://HOST[:PORT]/PATH)";
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("url: not a URL" + expected, e);
        }
        boolean secure = "https".equalsIgnoreCase(uri.getScheme());
        if ((!secure && !"http".equalsIgnoreCase(uri.getScheme()))
                || uri.getRawAuthority() == null) {
            throw new IllegalArgumentException("url: not an http URL" + expected);
        }
        String query = uri.getRawQuery();
        return new Uri(CacheKey.of(
                secure,
                uri.getRawAuthority(),
                uri.getRawPath() + (query == null ? "" : "?" + query)));
    }

    /**
     * Returns the target for a host, or a host and the beginning of a path, of http and https URIs
     * alike. A scheme before it is ignored.
     *
     * @throws IllegalArgumentException when it is empty or contains characters that no URI can
     */
    public static Prefix prefix(String text) {
        String normalized = normalized(text);
        if (normalized.isEmpty() || normalized.startsWith("/")) {
            throw new IllegalArgumentException(
                    "prefix: " + text + " (expected: HOST or HOST/PATH)");
        }
        // A host alone means that host, not longer names that begin with it.
        return new Prefix(
                normalized.contains("/")
                        ? normalized
                        : CacheKey.of(normalized, "/").toString());
    }

    /**
     * Returns a prefix as keys are written: without its scheme, the host in lower case and without
     * the default port.
     *
     * @throws IllegalArgumentException when it contains characters that no URI can
     */
    public static String normalized(String prefix) {
        String bare = prefix.strip().replaceFirst("^(?i)https?://", "");
        if (!bare.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException(
                    "prefix: " + prefix + " (expected: HOST or HOST/PATH)");
        }
        int slash = bare.indexOf('/');
        return slash <= 0
                ? bare.toLowerCase(Locale.ROOT)
                : CacheKey.of(bare.substring(0, slash), bare.substring(slash)).toString();
    }

    /**
     * Returns the target for tags.
     *
     * @throws IllegalArgumentException for none, too many, or one that no header field can contain
     */
    public static Labelled tags(List<String> tags) {
        if (tags.isEmpty() || tags.size() > MAX_TAGS) {
            throw new IllegalArgumentException(
                    "tags: " + tags.size() + " (expected: 1 to " + MAX_TAGS + ")");
        }
        for (String tag : tags) {
            if (tag.isBlank() || !tag.chars().allMatch(c -> c >= ' ' && c != 127)) {
                throw new IllegalArgumentException(
                        "tags: " + tag + " (expected: names without control characters)");
            }
        }
        return new Labelled(List.copyOf(tags));
    }

    public static Prefix everything() {
        return new Prefix("");
    }
}
