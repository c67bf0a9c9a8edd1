package dev.komainu.organizer.route;

import java.util.Comparator;
import java.util.List;

/**
 * What a member says of itself; all that the route table is made of.
 *
 * @param incarnation when this life of the member began, in milliseconds since the epoch: after a
 *     restart a higher one
 * @param version counts its announcements of this life, from 1
 * @param line where its line is reached
 * @param draining whether it wants no new requests where others can serve them
 * @param routes sorted by prefix, each prefix once, at most 10,000
 */
public record Announcement(
        MemberId member,
        long incarnation,
        long version,
        LineEndpoint line,
        boolean draining,
        List<ServedRoute> routes) {

    public static final int MOST_ROUTES = 10_000;

    /** @throws IllegalArgumentException naming what was expected */
    public Announcement {
        if (incarnation < 1 || version < 1) {
            throw new IllegalArgumentException("incarnation " + incarnation + ", version " + version
                    + " (expected: both above 0)");
        }
        if (!line.member().equals(member)) {
            throw new IllegalArgumentException(
                    "line of " + line.member() + " (expected: of " + member + ")");
        }
        if (routes.size() > MOST_ROUTES) {
            throw new IllegalArgumentException(
                    "routes: " + routes.size() + " (expected: at most " + MOST_ROUTES + ")");
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

    /** Whether this replaces another of the same member. */
    public boolean isNewerThan(Announcement other) {
        return incarnation != other.incarnation
                ? incarnation > other.incarnation
                : version > other.version;
    }
}
