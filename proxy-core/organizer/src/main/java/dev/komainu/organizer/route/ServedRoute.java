package dev.komainu.organizer.route;

/**
 * One prefix that a member serves.
 *
 * @param weight share of requests among members that would answer equally soon: 0 (only when nobody
 *     else can) to 1,000
 * @param capacity requests its server carries at once before they wait for each other: 1 to
 *     1,000,000
 * @param cache whether a cache stands there, so that the same URL should always come to the same
 *     member
 * @param content names what is served: members with one prefix and one name are mirrors of each
 *     other; empty: whatever the others have
 */
public record ServedRoute(
        UrlPrefix prefix, int weight, int capacity, boolean cache, String content) {

    public static final int MOST_WEIGHT = 1000;
    public static final int MOST_CAPACITY = 1_000_000;
    public static final int LONGEST_CONTENT = 64;

    /** @throws IllegalArgumentException naming what was expected */
    public ServedRoute {
        if (weight < 0 || weight > MOST_WEIGHT) {
            throw new IllegalArgumentException(
                    "weight: " + weight + " (expected: 0 to " + MOST_WEIGHT + ")");
        }
        if (capacity < 1 || capacity > MOST_CAPACITY) {
            throw new IllegalArgumentException(
                    "capacity: " + capacity + " (expected: 1 to " + MOST_CAPACITY + ")");
        }
        if (content.length() > LONGEST_CONTENT
                || !content.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException("content: " + content.length()
                    + " characters (expected: at most " + LONGEST_CONTENT + ", visible ASCII)");
        }
    }

    /** The same with another weight. */
    public ServedRoute weighing(int other) {
        return new ServedRoute(prefix, other, capacity, cache, content);
    }
}
