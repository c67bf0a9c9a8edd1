package dev.komainu.organizer.front;

import java.time.Duration;
import java.util.List;

/**
 * What tunes a proxy's part in the cluster's caches.
 *
 * @param patience how long an owner may say nothing at all before the origin is asked: 10 ms to 1 min (500 ms). Above the longest round trip
 * @param copiesPercent how many of the answers that another owns are kept here, too: 0 to 100 (10). So what is wanted often is soon
 *     had without asking, and what is wanted seldom takes room at its owner only
 */
public record ShareSettings(Duration patience, int copiesPercent) {

    public static final ShareSettings DEFAULT = new ShareSettings(Duration.ofMillis(500), 10);

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        if (patience.toMillis() < 10 || patience.toMillis() > 60_000) {
            problems.add("share.patience: " + patience.toMillis() + "ms (expected: 10ms to 60000ms)");
        }
        if (copiesPercent < 0 || copiesPercent > 100) {
            problems.add("share.copies: " + copiesPercent + " (expected: 0 to 100)");
        }
    }
}
