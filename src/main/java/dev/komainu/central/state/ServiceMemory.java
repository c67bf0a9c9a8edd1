package dev.komainu.central.state;

import java.util.HashMap;
import java.util.Map;

/**
 * The memory of the state model about one service between two seconds. Used by the assessment's
 * thread only.
 */
final class ServiceMemory {

    final StopClassifier stops;

    /** Second at which each active rule was entered, by rule id. */
    final Map<String, Long> entered = new HashMap<>();

    /** Second at which each active rule began to hold, by rule id. */
    final Map<String, Long> began = new HashMap<>();

    /** The fault at present. */
    final FaultCourse fault = new FaultCourse();

    /**
     * Last second whose measurements still show effects of a stop or of a time without a link:
     * repeated SYNs, delayed responses.
     */
    long clouded = Long.MIN_VALUE;

    ServiceState state = ServiceState.UNKNOWN;
    long since;
    String rule = "none";

    ServiceMemory(long since, StopClassifier.Limits limits) {
        this.stops = new StopClassifier(limits);
        this.since = since;
    }

    /** Leaves all rules, and ends the fault. */
    void clear() {
        entered.clear();
        began.clear();
        fault.end();
    }

    /** Enters a rule, if it is not entered yet. */
    void enter(Rule rule, long second, long beganAt) {
        entered.putIfAbsent(rule.id(), second);
        began.putIfAbsent(rule.id(), beganAt);
    }

    /** Leaves a rule. */
    void leave(String id) {
        entered.remove(id);
        began.remove(id);
    }

    /** Limits all times to this second, because the clock was set back to it. */
    void setBack(long second) {
        stops.setBack(second);
        entered.replaceAll((rule, at) -> Math.min(at, second));
        began.replaceAll((rule, at) -> Math.min(at, second));
        fault.setBack(second);
        clouded = Math.min(clouded, second);
        since = Math.min(since, second);
    }
}
