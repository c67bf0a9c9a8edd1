package dev.komainu.central.fleet;

import dev.komainu.central.control.LaterWrites;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table of the fleet whose writes nothing waits for: the fleet's lock is held while they are
 * called, and ingest needs it. Of one service or source only the newest write is carried out.
 */
public final class LaterFleetTable implements FleetTable {

    /** The identity of a row. */
    private record Row(String kind, String name) {
        @Override
        public String toString() {
            return kind + " " + name;
        }
    }

    private final FleetTable table;
    private final LaterWrites writes;

    public LaterFleetTable(FleetTable table, LaterWrites writes) {
        this.table = table;
        this.writes = writes;
    }

    @Override
    public List<StoredService> services(int most) {
        return table.services(most);
    }

    @Override
    public Map<String, Fleet.SourceReport> sources(int most) {
        return table.sources(most);
    }

    @Override
    public void save(ServiceProfile service, @Nullable String credential) {
        writes.run(service(service.id()), () -> table.save(service, credential));
    }

    @Override
    public void remove(String serviceId) {
        writes.run(service(serviceId), () -> table.remove(serviceId));
    }

    @Override
    public void save(String source, Fleet.SourceReport report) {
        writes.run(source(source), () -> table.save(source, report));
    }

    @Override
    public void removeSource(String name) {
        writes.run(source(name), () -> table.removeSource(name));
    }

    private static Row service(String id) {
        return new Row("service", id);
    }

    private static Row source(String name) {
        return new Row("source", name);
    }
}
