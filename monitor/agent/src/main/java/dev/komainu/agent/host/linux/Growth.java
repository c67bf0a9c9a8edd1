package dev.komainu.agent.host.linux;

import java.util.HashMap;
import java.util.Map;

/**
 * The growth of named counters between two readings. A counter that falls was set back, and counts
 * from zero. One thread at a time.
 */
final class Growth {

    private Map<String, Long> before = new HashMap<>();
    private Map<String, Long> now = new HashMap<>();

    /** Returns the growth of a counter since the last reading; 0 for a counter that is new. */
    long of(String name, long value) {
        now.put(name, value);
        Long earlier = before.get(name);
        return earlier == null ? 0 : value >= earlier ? value - earlier : value;
    }

    /** Ends a reading. Counters that it did not have are forgotten. */
    void end() {
        before = now;
        now = new HashMap<>();
    }
}
