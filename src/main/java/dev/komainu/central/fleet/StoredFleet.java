package dev.komainu.central.fleet;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.SourceStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The table of the fleet in the control database. */
@Component
final class StoredFleet implements FleetTable {

    private final JdbcClient jdbc;
    private final JsonMapper json = JsonMapper.builder().build();

    StoredFleet(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public List<ServiceProfile> services() {
        return jdbc.sql("select * from watched_service order by first_seen")
                .query((row, n) -> service(row))
                .list();
    }

    @Override
    public Map<String, Fleet.SourceReport> sources() {
        Map<String, Fleet.SourceReport> all = new LinkedHashMap<>();
        jdbc.sql("select * from telemetry_source order by name").query(row -> {
            SourceStatus status = json.readValue(row.getString("status"), SourceStatus.class);
            all.put(
                    row.getString("name"),
                    new Fleet.SourceReport(status, row.getLong("last_seen")));
        });
        return all;
    }

    @Override
    public void save(ServiceProfile service) {
        jdbc.sql("""
                        merge into watched_service (id, node, name, kind, version, addresses, process_id, program,
                            settings, reported_by, first_seen, last_seen) key (id)
                        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""")
                .param(service.id())
                .param(service.node())
                .param(service.name())
                .param(service.kind())
                .param(service.version())
                .param(json.writeValueAsString(
                        service.addresses().stream().map(Endpoint::toString).toList()))
                .param(service.processId())
                .param(service.program())
                .param(json.writeValueAsString(service.settings()))
                .param(json.writeValueAsString(service.reportedBy()))
                .param(service.firstSeenMicros())
                .param(service.lastSeenMicros())
                .update();
    }

    @Override
    public void remove(String serviceId) {
        jdbc.sql("delete from watched_service where id = ?").param(serviceId).update();
    }

    @Override
    public void save(String source, Fleet.SourceReport report) {
        jdbc.sql(
                        "merge into telemetry_source (name, status, last_seen) key (name) values (?, ?, ?)")
                .param(source)
                .param(json.writeValueAsString(report.status()))
                .param(report.atMicros())
                .update();
    }

    private ServiceProfile service(ResultSet row) throws SQLException {
        long process = row.getLong("process_id");
        boolean noProcess = row.wasNull();
        return new ServiceProfile(
                row.getString("id"),
                row.getString("node"),
                row.getString("name"),
                row.getString("kind"),
                row.getString("version"),
                Arrays.stream(json.readValue(row.getString("addresses"), String[].class))
                        .map(Endpoint::parse)
                        .toList(),
                noProcess ? null : process,
                row.getString("program"),
                List.of(json.readValue(row.getString("settings"), Setting[].class)),
                Set.of(json.readValue(row.getString("reported_by"), String[].class)),
                row.getLong("first_seen"),
                row.getLong("last_seen"));
    }
}
