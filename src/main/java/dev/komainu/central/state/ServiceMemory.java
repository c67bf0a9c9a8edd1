package dev.komainu.central.state;

import java.util.HashSet;
import java.util.Set;

/** What the model remembers of one service between two seconds. Used by the assessment's thread only. */
final class ServiceMemory {

    final StopWatch stops = new StopWatch();

    /** Rules entered and not yet left. */
    final Set<String> entered = new HashSet<>();

    ServiceState state = ServiceState.UNKNOWN;
    long since;
    String rule = "none";

    ServiceMemory(long since) {
        this.since = since;
    }
}
