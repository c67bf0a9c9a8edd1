package dev.komainu.intermediary.caching;

import dev.komainu.intermediary.message.Field;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.TokenList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names by which stored responses can be found in addition to their key. Four kinds share one
 * index and are distinguished by a first character that no header field can contain:
 *
 * <pre>
 *   tag       name              Surrogate-Key (separated by blanks), Cache-Tag (by commas); the same on every host
 *   group     \1 host/ name     Cache-Groups (RFC 9875); an origin's own
 *   copy      \2                another member's object, also stored here
 *   variant   \2 uri            each response stored under a Vary rule, so that its URI leads to all of them
 * </pre>
 */
public final class Labels {

    /** The fields that contain tags only. */
    public static final long FIELDS = Fields.mask(Field.SURROGATE_KEY, Field.CACHE_TAG);

    private static final char GROUP = '\1';
    private static final char VARIANT = '\2';

    /**
     * The label of an object that another member of the cluster owns: fields with tags may have
     * been removed on the way.
     */
    public static final String COPY = String.valueOf(VARIANT);

    private Labels() {}

    /** Returns the tags of a response, each once, in order. */
    public static List<String> tags(Fields response) {
        return response.hasAny(FIELDS)
                ? tags(response.joined(Field.SURROGATE_KEY), response.joined(Field.CACHE_TAG))
                : List.of();
    }

    /** Returns the tags in the values of the two fields. */
    public static List<String> tags(@Nullable String surrogateKey, @Nullable String cacheTag) {
        List<String> names = new ArrayList<>();
        if (surrogateKey != null) {
            // A repeated field arrives joined by commas; a comma inside one field separates
            // nothing.
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

    /** Returns the labels of cache groups of the origin that {@code uri} belongs to. */
    static List<String> groups(CacheKey uri, List<String> groups) {
        if (groups.isEmpty()) {
            return List.of();
        }
        String host = uri.host();
        return groups.stream().map(group -> GROUP + host + group).toList();
    }

    /**
     * Returns the prefix of all URLs that may have a label: that of an origin for a group, empty
     * (any URL) for others.
     */
    public static String originOf(String label) {
        int slash = label.indexOf('/');
        return slash > 0 && label.charAt(0) == GROUP ? label.substring(1, slash + 1) : "";
    }

    /** Returns the groups that a response to a change names (RFC 9875 section 3), as labels. */
    public static List<String> invalidatedBy(CacheKey uri, Fields response) {
        return groups(uri, CacheGroups.invalidatedBy(response));
    }

    /** Returns all labels of a response to a request for this URI. */
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

    /** Returns the label that all variants of a URI have. */
    public static String variantOf(CacheKey uri) {
        return VARIANT + uri.toString();
    }

    public static boolean isTag(String label) {
        return label.charAt(0) > VARIANT;
    }

    public static boolean isGroup(String label) {
        return label.charAt(0) == GROUP;
    }

    /** Returns a group's name as the origin wrote it. */
    public static String groupName(String label) {
        return label.substring(label.indexOf('/') + 1);
    }
}
