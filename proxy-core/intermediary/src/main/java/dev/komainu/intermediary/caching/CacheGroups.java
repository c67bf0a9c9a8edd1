package dev.komainu.intermediary.caching;

import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.TokenList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cache Groups (RFC 9875): an answer names the groups it belongs to, and the answer to a change
 * names those that the change makes worthless. Groups are an origin's own: the same name elsewhere
 * is another group.
 */
public final class CacheGroups {

    /**
     * RFC 9875 sections 2.1 and 3: more, or longer ones, need not be supported; here, the rest is
     * not looked at.
     */
    private static final int MAX_GROUPS = 32;

    private CacheGroups() {}

    /** The groups an answer belongs to. */
    public static List<String> of(Fields response) {
        return names(response.joined("cache-groups"));
    }

    /** The groups an answer to an unsafe request makes worthless. */
    public static List<String> invalidatedBy(Fields response) {
        return names(response.joined("cache-group-invalidation"));
    }

    /**
     * A list of strings (RFC 8941 section 3.1); with any member of another type the field says
     * nothing.
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
