package dev.komainu.central.state;

import dev.komainu.central.indices.LocalizedText;
import java.util.List;

/**
 * A state that cannot be judged for a service now, because a collector is missing.
 *
 * @param state the state
 * @param wholly whether no rule of it can be judged; else some can
 * @param missing missing collectors, each once
 */
public record UnobservableState(ServiceState state, boolean wholly, List<Missing> missing) {

    public UnobservableState {
        missing = List.copyOf(missing);
    }

    /**
     * A missing collector.
     *
     * @param text one sentence
     * @param command command that starts it
     */
    public record Missing(LocalizedText text, String command) {}
}
