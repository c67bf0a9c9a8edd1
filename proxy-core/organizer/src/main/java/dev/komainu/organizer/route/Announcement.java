package dev.komainu.organizer.route;

import java.util.Comparator;
import java.util.List;

/**
 * The announcement of a member about itself. The route table is computed from announcements only.
 *
 * @param incarnation start of this process of the member, in milliseconds since the epoch; higher
 *     after each restart
 * @param version number of the announcement within the incarnation, from 1
 * @param line endpoint of its line
 * @param draining whether the member wants no new requests where others can serve them
 * @param routes sorted by prefix, each prefix once, at most 10,000
 */
public record Announcement(
        MemberId member,
        long incarnation,
        long version,
        LineEndpoint line,
        boolean draining,
        List<ServedRoute> routes) {

    public static final int MAX_ROUTES = 10_000;

    /**
     * Validates the announcement and sorts its routes.
     *
     * @throws IllegalArgumentException naming the expected value
     */
    public Announcement {
        if (incarnation < 1 || version < 1) {
            throw new IllegalArgumentException("incarnation " + incarnation + ", version " + version
                    + " (expected: both above 0)");
        }
        if (!line.member().equals(member)) {
            throw new IllegalArgumentException(
                    "line of " + line.member() + " (expected: of " + member + ")");
        }
        if (routes.size() > MAX_ROUTES) {
            throw new IllegalArgumentException(
                    "routes: " + routes.size() + " (expected: at most " + MAX_ROUTES + ")");
        }
        routes = routes.stream()
                .sorted(Comparator.comparing(ServedRoute::prefix))
                .toList();
        for (int i = 1; i < routes.size(); i++) {
            if (routes.get(i).prefix().equals(routes.get(i - 1).prefix())) {
                throw new IllegalArgumentException("routes: " + routes.get(i).prefix()
                        + " twice (expected: each prefix once)");
            }
        }
    }

    /** Reports whether this replaces another announcement of the same member. */
    public boolean isNewerThan(Announcement other) {
        return incarnation != other.incarnation
                ? incarnation > other.incarnation
                : version > other.version;
    }
}
