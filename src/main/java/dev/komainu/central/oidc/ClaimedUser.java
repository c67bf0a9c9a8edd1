package dev.komainu.central.oidc;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A user as the provider's claims describe it. Pure.
 *
 * @param name in lower case; empty when the claim is absent or no text
 * @param groups names of the groups, at most {@value #MOST_GROUPS}
 */
record ClaimedUser(String name, Set<String> groups) {

    static final int MOST_GROUPS = 2_000;
    private static final int MOST_CHARS = 1_000;

    /** Reads the claims of a user. */
    static ClaimedUser of(Map<String, Object> claims, String nameClaim, String groupsClaim) {
        String name = find(claims, nameClaim) instanceof String text ? text : "";
        return new ClaimedUser(
                name.strip().toLowerCase(Locale.ROOT), groups(find(claims, groupsClaim)));
    }

    /** Reports whether the claims contain both name and groups. */
    static boolean isComplete(Map<String, Object> claims, String nameClaim, String groupsClaim) {
        return find(claims, nameClaim) != null && find(claims, groupsClaim) != null;
    }

    /**
     * Returns a claim: the member of this name, else the one at this path of names with dots
     * between.
     */
    private static @Nullable Object find(Map<?, ?> claims, String claim) {
        Object found = claims.get(claim);
        int dot = claim.indexOf('.');
        while (found == null && dot > 0) {
            found = claims.get(claim.substring(0, dot)) instanceof Map<?, ?> inner
                    ? find(inner, claim.substring(dot + 1))
                    : null;
            dot = claim.indexOf('.', dot + 1);
        }
        return found;
    }

    private static Set<String> groups(@Nullable Object claim) {
        Collection<?> values = claim instanceof Collection<?> several
                ? several
                : claim instanceof String one ? List.of(one) : List.of();
        Set<String> groups = new LinkedHashSet<>();
        for (Object each : values) {
            if (groups.size() < MOST_GROUPS
                    && each instanceof String text
                    && !text.isBlank()
                    && text.length() <= MOST_CHARS) {
                groups.add(text);
            }
        }
        return groups;
    }
}
