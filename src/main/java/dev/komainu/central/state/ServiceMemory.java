package dev.komainu.central.state;

import java.util.HashMap;
import java.util.Map;

/**
 * The memory of the state model about one service between two seconds. Used by the assessment's
 * thread only.
 */
final class ServiceMemory {

    final StopClassifier stops;

    /** Rules entered and not yet left, with the second of their entering. */
    final Map<String, Long> entered = new HashMap<>();

    /**
     * Up to here, what was measured still speaks of a stop, or of the time without a link: SYNs
     * repeated for it, answers late by it.
     */
    long clouded = Long.MIN_VALUE;

    ServiceState state = ServiceState.UNKNOWN;
    long since;
    String rule = "none";

    ServiceMemory(long since, StopClassifier.Limits limits) {
        this.stops = new StopClassifier(limits);
        this.since = since;
    }

    /** The clock was set back to this second: nothing that is remembered lies after it. */
    void setBack(long second) {
        stops.setBack(second);
        entered.replaceAll((rule, at) -> Math.min(at, second));
        clouded = Math.min(clouded, second);
        since = Math.min(since, second);
    }
}
