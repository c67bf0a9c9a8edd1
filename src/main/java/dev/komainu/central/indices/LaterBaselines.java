package dev.komainu.central.indices;

import dev.komainu.central.control.ControlDataFailure;
import dev.komainu.central.control.LaterWrites;
import org.jspecify.annotations.Nullable;

/**
 * A store of baselines that the assessment never waits for. While the database is away, a service
 * that appears is judged without a baseline.
 */
public final class LaterBaselines implements BaselineStore {

    /** The identity of a row. */
    private record Row(String service) {
        @Override
        public String toString() {
            return "baseline of " + service;
        }
    }

    private final BaselineStore store;
    private final LaterWrites writes;

    public LaterBaselines(BaselineStore store, LaterWrites writes) {
        this.store = store;
        this.writes = writes;
    }

    @Override
    public @Nullable Baseline find(String service) {
        try {
            return store.find(service);
        } catch (RuntimeException e) {
            if (ControlDataFailure.of(e).isOutage()) {
                return null;
            }
            throw e;
        }
    }

    @Override
    public void save(String service, Baseline baseline) {
        writes.run(new Row(service), () -> store.save(service, baseline));
    }
}
