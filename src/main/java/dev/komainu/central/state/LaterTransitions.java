package dev.komainu.central.state;

import dev.komainu.central.control.ControlDataFailure;
import dev.komainu.central.control.LaterWrites;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store of transitions that the assessment never waits for. While the database is away, a service
 * that appears is judged without its history.
 */
public final class LaterTransitions implements TransitionStore {

    private final TransitionStore store;
    private final LaterWrites writes;

    public LaterTransitions(TransitionStore store, LaterWrites writes) {
        this.store = store;
        this.writes = writes;
    }

    @Override
    public void keep(Transition transition) {
        AtomicBoolean tried = new AtomicBoolean();
        writes.run(transition, () -> {
            // The connection may have broken after the first attempt was carried out.
            if (!tried.getAndSet(true) || !store.isKept(transition)) {
                store.keep(transition);
            }
        });
    }

    @Override
    public boolean isKept(Transition transition) {
        return store.isKept(transition);
    }

    @Override
    public @Nullable Transition latest(String service) {
        List<Transition> latest = unlessAway(() -> {
            Transition stored = store.latest(service);
            return stored == null ? List.of() : List.of(stored);
        });
        return latest.isEmpty() ? null : latest.getFirst();
    }

    @Override
    public List<Integer> restartSeconds(String service) {
        return unlessAway(() -> store.restartSeconds(service));
    }

    private static <T> List<T> unlessAway(Supplier<List<T>> question) {
        try {
            return question.get();
        } catch (RuntimeException e) {
            if (ControlDataFailure.of(e).isOutage()) {
                return List.of();
            }
            throw e;
        }
    }
}
