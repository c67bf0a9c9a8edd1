package dev.komainu.organizer.route;

import java.util.Set;

/**
 * A request that looks for a member.
 *
 * @param host in lower case, with {@code :PORT} where it is not the scheme's
 * @param path as it was sent, beginning with {@code /}, with its query
 * @param excluded members that failed this very request, or had it already ({@link HopPath})
 * @param repeatable whether it may be tried with a member that may be away: safe, or nothing of it
 *     sent yet
 * @param serversOnly whether caches are passed over: it is a cache that looks
 * @param spread evenly distributed in [0, 1): where chance decides, this is it
 */
public record RouteQuery(
        String host,
        String path,
        Set<MemberId> excluded,
        boolean repeatable,
        boolean serversOnly,
        double spread) {

    public RouteQuery(
            String host, String path, Set<MemberId> excluded, boolean repeatable, double spread) {
        this(host, path, excluded, repeatable, false, spread);
    }

    /** @throws IllegalArgumentException naming what was expected */
    public RouteQuery {
        if (!(spread >= 0 && spread < 1)) {
            throw new IllegalArgumentException("spread: " + spread + " (expected: 0 to below 1)");
        }
        excluded = Set.copyOf(excluded);
    }

    String pathWithoutQuery() {
        int query = path.indexOf('?');
        return query < 0 ? path : path.substring(0, query);
    }
}
