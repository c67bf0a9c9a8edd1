package dev.komainu.organizer.route;

import java.util.Set;

/**
 * The query for the member of a request.
 *
 * @param host in lower case, with {@code :PORT} when it is not the scheme's default
 * @param path as received, beginning with {@code /}, with its query
 * @param excluded members that failed this request or have already had it ({@link HopPath})
 * @param repeatable whether the request may be tried with a member that may be unreachable: it is
 *     safe, or nothing of it was sent yet
 * @param serversOnly whether caches are skipped, because the query is of a cache
 * @param spread random number, evenly distributed in [0, 1)
 */
public record RouteQuery(
        String host,
        String path,
        Set<MemberId> excluded,
        boolean repeatable,
        boolean serversOnly,
        double spread) {

    /** Creates a query that includes caches. */
    public RouteQuery(
            String host, String path, Set<MemberId> excluded, boolean repeatable, double spread) {
        this(host, path, excluded, repeatable, false, spread);
    }

    /**
     * Validates the query.
     *
     * @throws IllegalArgumentException naming the expected value
     */
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
