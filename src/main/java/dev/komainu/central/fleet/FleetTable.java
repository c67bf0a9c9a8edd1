package dev.komainu.central.fleet;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The storage of the fleet over a restart. Called under the fleet's lock. */
public interface FleetTable {

    /**
     * Returns the services seen last, at most {@code most}, in the order of their first sighting.
     */
    List<ServiceProfile> services(int most);

    /** Returns the credential that named each service first; null when it is unknown. */
    Map<String, @Nullable String> serviceOwners();

    /** Returns the sources that reported last, at most {@code most}. */
    Map<String, Fleet.SourceReport> sources(int most);

    void save(ServiceProfile service, @Nullable String credential);

    void removeSource(String name);

    void remove(String serviceId);

    void save(String source, Fleet.SourceReport report);

    /** The table that stores nothing: for tests, and for judging recorded traffic. */
    FleetTable FORGETFUL = new FleetTable() {
        @Override
        public List<ServiceProfile> services(int most) {
            return List.of();
        }

        @Override
        public Map<String, @Nullable String> serviceOwners() {
            return Map.of();
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
