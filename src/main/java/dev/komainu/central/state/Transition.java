package dev.komainu.central.state;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import java.util.List;

/**
 * A change of state with its evidence at that moment.
 *
 * @param atSecond seconds since the epoch
 * @param rule the rule or mark that named the new state
 */
public record Transition(
        String service,
        long atSecond,
        ServiceState from,
        ServiceState to,
        String rule,
        LocalizedText cause,
        List<Evidence> evidence) {}
