package dev.komainu.central.access;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The counts of failed attempts by key, with a wait that doubles with every failure above a free
 * number. A count without a new failure for an hour is forgotten. The number of counts is bounded;
 * the one that was used the longest time ago is removed first. Not thread-safe.
 *
 * <p>A wait never lasts longer than it did when it began: after the clock was set back to a time
 * before the last failure, it is over.
 */
public final class FailureCounts {

    static final Duration FIRST_WAIT = Duration.ofSeconds(30);
    static final Duration LONGEST_WAIT = Duration.ofMinutes(15);
    static final Duration KEPT = Duration.ofHours(1);

    private record Count(int failures, Instant last) {}

    private final Map<String, Count> counts;

    public FailureCounts(int most) {
        counts = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Count> eldest) {
                return size() > most;
            }
        };
    }

    /** Returns the time until the next attempt; zero when it may be made now. */
    public Duration remaining(String key, int free, Instant now) {
        Count count = counts.get(key);
        if (count == null || count.failures() < free || now.isBefore(count.last())) {
            return Duration.ZERO;
        }
        Duration wait = FIRST_WAIT;
        for (int i = free; i < count.failures() && wait.compareTo(LONGEST_WAIT) < 0; i++) {
            wait = wait.multipliedBy(2);
        }
        if (wait.compareTo(LONGEST_WAIT) > 0) {
            wait = LONGEST_WAIT;
        }
        Duration left = Duration.between(now, count.last().plus(wait));
        return left.isPositive() ? left : Duration.ZERO;
    }

    public void add(String key, Instant now) {
        Count count = counts.get(key);
        boolean old = count == null
                || now.isBefore(count.last())
                || !now.isBefore(count.last().plus(KEPT));
        counts.put(key, new Count(old || count == null ? 1 : count.failures() + 1, now));
    }

    /** Takes one failure back: the attempt was no failure after all. */
    void takeBack(String key) {
        counts.computeIfPresent(
                key,
                (k, count) -> count.failures() <= 1
                        ? null
                        : new Count(count.failures() - 1, count.last()));
    }

    public void forget(String key) {
        counts.remove(key);
    }

    int size() {
        return counts.size();
    }
}
