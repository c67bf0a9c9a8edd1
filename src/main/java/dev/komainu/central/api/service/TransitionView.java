package dev.komainu.central.api.service;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.Transition;
import java.time.Instant;
import java.util.List;

/** {@code Transition} of the contract. */
record TransitionView(
        String service,
        Instant at,
        ServiceState from,
        ServiceState to,
        LocalizedText cause,
        List<Evidence> evidence) {

    static TransitionView of(Transition transition) {
        return new TransitionView(
                transition.service(),
                Instant.ofEpochSecond(transition.atSecond()),
                transition.from(),
                transition.to(),
                transition.cause(),
                transition.evidence());
    }
}
