package dev.komainu.organizer.route;

/**
 * One prefix that a member serves.
 *
 * @param weight share of requests among equally fast members: 0 (only when there is no other
 *     member) to 1,000
 * @param capacity requests that its server processes concurrently before they wait: 1 to 1,000,000
 * @param cache whether the server is a cache, so that the same URL should always go to the same
 *     member
 * @param content name of the served content: members with the same prefix and name are mirrors of
 *     each other; empty: the content of the other members
 */
public record ServedRoute(
        UrlPrefix prefix, int weight, int capacity, boolean cache, String content) {

    public static final int MOST_WEIGHT = 1000;
    public static final int MOST_CAPACITY = 1_000_000;
    public static final int LONGEST_CONTENT = 64;

    /**
     * Validates the route.
     *
     * @throws IllegalArgumentException naming the expected value
     */
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

    /** Returns this route with another weight. */
    public ServedRoute withWeight(int newWeight) {
        return new ServedRoute(prefix, newWeight, capacity, cache, content);
    }
}
