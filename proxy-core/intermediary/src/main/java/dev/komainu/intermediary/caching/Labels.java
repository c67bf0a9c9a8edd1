package dev.komainu.intermediary.caching;

import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.TokenList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names by which stored responses can be found besides their key. Three kinds share one index,
 * told apart by a first character that no header field can hold:
 *
 * <pre>
 *   tag       name              Surrogate-Key (divided by blanks), Cache-Tag (by commas); the same on every host
 *   group     \1 host/ name     Cache-Groups (RFC 9875); an origin's own
 *   copy      \2                another member's, kept here, too
 *   variant   \2 uri            each response stored under a Vary rule, so that its URI leads to all of them
 * </pre>
 */
public final class Labels {

    /** Fields that only name tags. */
    public static final long FIELDS = Fields.mask(Field.SURROGATE_KEY, Field.CACHE_TAG);

    private static final char GROUP = '\1';
    private static final char VARIANT = '\2';

    /**
     * What another member of the cluster owns carries it: fields that name tags may have been taken
     * off on the way.
     */
    public static final String COPY = String.valueOf(VARIANT);

    private Labels() {}

    /** The tags an answer carries, each once, in order. */
    public static List<String> tags(Fields response) {
        return response.hasAny(FIELDS)
                ? tags(response.joined(Field.SURROGATE_KEY), response.joined(Field.CACHE_TAG))
                : List.of();
    }

    /** The tags of the two fields' values. */
    public static List<String> tags(@Nullable String surrogateKey, @Nullable String cacheTag) {
        List<String> names = new ArrayList<>();
        if (surrogateKey != null) {
            // A repeated field arrives joined by commas, which divide nothing inside one.
            for (String name : surrogateKey.split("[ \t]+|, ")) {
                add(names, name);
            }
        }
        if (cacheTag != null) {
            for (String name : TokenList.split(cacheTag)) {
                add(names, name);
            }
        }
        return names.stream().distinct().toList();
    }

    private static void add(List<String> names, String name) {
        String bare = name.strip();
        if (!bare.isEmpty()) {
            names.add(bare);
        }
    }

    /** Labels of cache groups of the origin that {@code uri} belongs to. */
    static List<String> groups(CacheKey uri, List<String> groups) {
        if (groups.isEmpty()) {
            return List.of();
        }
        String host = uri.host();
        return groups.stream().map(group -> GROUP + host + group).toList();
    }

    /**
     * The beginning of all URLs that may carry a label: an origin's for a group, empty (whatever
     * URL) for others.
     */
    public static String originOf(String label) {
        int slash = label.indexOf('/');
        return slash > 0 && label.charAt(0) == GROUP ? label.substring(1, slash + 1) : "";
    }

    /** The groups that an answer to a change names (RFC 9875 section 3), as labels. */
    public static List<String> invalidatedBy(CacheKey uri, Fields response) {
        return groups(uri, CacheGroups.invalidatedBy(response));
    }

    /** Everything by which an answer to a request for this URI can be found. */
    public static List<String> of(Fields response, CacheKey uri) {
        List<String> tags = tags(response);
        List<String> groups = groups(uri, CacheGroups.of(response));
        if (groups.isEmpty()) {
            return tags;
        }
        List<String> all = new ArrayList<>(tags);
        all.addAll(groups);
        return all;
    }

    /** The label that all variants of a URI carry. */
    public static String variantOf(CacheKey uri) {
        return VARIANT + uri.toString();
    }

    public static boolean isTag(String label) {
        return label.charAt(0) > VARIANT;
    }

    public static boolean isGroup(String label) {
        return label.charAt(0) == GROUP;
    }

    /** A group's name as the origin wrote it. */
    public static String groupName(String label) {
        return label.substring(label.indexOf('/') + 1);
    }
}
