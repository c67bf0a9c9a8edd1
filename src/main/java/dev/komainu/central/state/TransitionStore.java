package dev.komainu.central.state;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The storage of transitions over a restart. Any thread. */
public interface TransitionStore {

    void keep(Transition transition);

    /** Reports whether a transition is stored: the same service, second, state and rule. */
    boolean isKept(Transition transition);

    /** Returns the newest transition of a service; null when there is none. */
    @Nullable
    Transition latest(String service);

    /**
     * Returns how long the last restarts of a service took, in seconds, oldest first: from the
     * state in which its stop was named until it responded again.
     */
    List<Integer> restartSeconds(String service);

    /** The storage that keeps nothing: for judging recorded traffic. */
    TransitionStore FORGETFUL = new TransitionStore() {
        @Override
        public void keep(Transition transition) {}

        @Override
        public boolean isKept(Transition transition) {
            return false;
        }

        @Override
        public @Nullable Transition latest(String service) {
            return null;
        }

        @Override
        public List<Integer> restartSeconds(String service) {
            return List.of();
        }
    };
}
