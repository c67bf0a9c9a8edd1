package dev.komainu.central.indices;

import org.jspecify.annotations.Nullable;

/** The storage of baselines over a restart. Any thread. */
public interface BaselineStore {

    /** Returns the stored baseline of a service; null when there is none. */
    @Nullable
    Baseline find(String service);

    void save(String service, Baseline baseline);

    /** The storage that keeps nothing: for judging recorded traffic. */
    BaselineStore FORGETFUL = new BaselineStore() {
        @Override
        public @Nullable Baseline find(String service) {
            return null;
        }

        @Override
        public void save(String service, Baseline baseline) {}
    };
}
