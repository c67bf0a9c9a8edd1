package dev.komainu.organizer.page;

import java.time.Duration;
import java.util.List;

/**
 * What tunes how the objects of a page come with it.
 *
 * @param pushBytes most that this member's servers send unasked beside one page: 0 (nothing) to 16 MB (1 MB)
 * @param holdBytes of what came unasked, kept until somebody asks: 0 (it is not taken), or 1 MB to 4 GB (32 MB)
 * @param life how long it is kept at most, fresh or not: 1 s to 1 min (10 s). A page's objects are asked for within seconds or never
 */
public record PageSettings(long pushBytes, long holdBytes, Duration life) {

    public static final PageSettings DEFAULT = new PageSettings(1L << 20, 32L << 20, Duration.ofSeconds(10));

    public static final PageSettings OFF = new PageSettings(0, 0, Duration.ofSeconds(10));

    /** Adds "pages.name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        if (pushBytes < 0 || pushBytes > 16L << 20) {
            problems.add("pages.push: " + pushBytes + " (expected: 0 to 16777216)");
        }
        if (holdBytes != 0 && (holdBytes < 1L << 20 || holdBytes > 4L << 30)) {
            problems.add("pages.hold: " + holdBytes + " (expected: 0, or 1048576 to 4294967296)");
        }
        if (life.toMillis() < 1_000 || life.toMillis() > 60_000) {
            problems.add("pages.life: " + life.toMillis() + "ms (expected: 1000ms to 60000ms)");
        }
    }
}
