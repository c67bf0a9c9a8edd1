package dev.komainu.central.fleet;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The storage of the fleet over a restart. Called under the fleet's lock. */
public interface FleetTable {

    /**
     * Returns the services seen last, at most {@code most}, in the order of their first sighting.
     */
    List<StoredService> services(int most);

    /**
     * A stored service.
     *
     * @param credential the credential that named it first; absent when it is unknown
     */
    record StoredService(ServiceProfile profile, @Nullable String credential) {}

    /** Returns the sources that reported last, at most {@code most}. */
    Map<String, Fleet.SourceReport> sources(int most);

    void save(ServiceProfile service, @Nullable String credential);

    void removeSource(String name);

    void remove(String serviceId);

    void save(String source, Fleet.SourceReport report);

    /** The table that stores nothing: for tests, and for judging recorded traffic. */
    FleetTable FORGETFUL = new FleetTable() {
        @Override
        public List<StoredService> services(int most) {
            return List.of();
        }

        @Override
        public Map<String, Fleet.SourceReport> sources(int most) {
            return Map.of();
        }

        @Override
        public void save(ServiceProfile service, @Nullable String credential) {}

        @Override
        public void removeSource(String name) {}

        @Override
        public void remove(String serviceId) {}

        @Override
        public void save(String source, Fleet.SourceReport report) {}
    };
}
