package dev.komainu.intermediary.caching;

import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.TokenList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of Cache Groups (RFC 9875). A response names the groups it belongs to, and the
 * response to a change names the groups that the change invalidates. A group belongs to its origin:
 * the same name elsewhere is another group.
 */
public final class CacheGroups {

    /**
     * RFC 9875 sections 2.1 and 3: more groups, or longer names, need not be supported. Further
     * groups are ignored here.
     */
    private static final int MAX_GROUPS = 32;

    private CacheGroups() {}

    /** Returns the groups that a response belongs to. */
    public static List<String> of(Fields response) {
        return names(response.joined("cache-groups"));
    }

    /** Returns the groups that a response to an unsafe request invalidates. */
    public static List<String> invalidatedBy(Fields response) {
        return names(response.joined("cache-group-invalidation"));
    }

    /**
     * Parses a list of strings (RFC 8941 section 3.1); a member of another type makes the whole
     * field empty.
     */
    private static List<String> names(@Nullable String text) {
        if (text == null) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        for (String member : TokenList.split(text)) {
            int end = member.lastIndexOf('"');
            if (!member.startsWith("\"") || end == 0) {
                return List.of();
            }
            if (names.size() < MAX_GROUPS) {
                names.add(member.substring(1, end));
            }
        }
        return List.copyOf(names);
    }
}
