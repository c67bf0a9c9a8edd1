package dev.komainu.central.fleet;

import java.util.List;
import java.util.Map;

/** The storage of the fleet over a restart. Called under the fleet's lock. */
public interface FleetTable {

    List<ServiceProfile> services();

    Map<String, Fleet.SourceReport> sources();

    void save(ServiceProfile service);

    void remove(String serviceId);

    void save(String source, Fleet.SourceReport report);

    /** The table that stores nothing: for tests, and for judging recorded traffic. */
    FleetTable FORGETFUL = new FleetTable() {
        @Override
        public List<ServiceProfile> services() {
            return List.of();
        }

        @Override
        public Map<String, Fleet.SourceReport> sources() {
            return Map.of();
        }

        @Override
        public void save(ServiceProfile service) {}

        @Override
        public void remove(String serviceId) {}

        @Override
        public void save(String source, Fleet.SourceReport report) {}
    };
}
