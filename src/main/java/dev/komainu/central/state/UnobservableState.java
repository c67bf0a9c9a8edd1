package dev.komainu.central.state;

import dev.komainu.central.indices.LocalizedText;
import java.util.List;

/**
 * A state that cannot be told of a service now, because a collector is missing.
 *
 * @param state which
 * @param wholly whether no rule for it can be judged; else some can
 * @param missing what is, each once
 */
public record UnobservableState(ServiceState state, boolean wholly, List<Missing> missing) {

    public UnobservableState {
        missing = List.copyOf(missing);
    }

    /**
     * @param text one sentence
     * @param command what supplies it
     */
    public record Missing(LocalizedText text, String command) {}
}
