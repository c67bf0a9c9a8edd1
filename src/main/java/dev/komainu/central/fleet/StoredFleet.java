package dev.komainu.central.fleet;

import dev.komainu.central.control.Upsert;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting.ReportedLabel;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.SourceStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The table of the fleet in the control database. */
@Component
final class StoredFleet implements FleetTable {

    private static final Logger LOG = LoggerFactory.getLogger(StoredFleet.class);

    private final JdbcClient jdbc;
    private final JsonMapper json = JsonMapper.builder().build();

    StoredFleet(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public List<StoredService> services(int most) {
        List<StoredService> all = new ArrayList<>();
        jdbc.sql("select * from watched_service order by last_seen desc fetch first ? rows only")
                .param(most)
                .query(row -> {
                    try {
                        all.add(new StoredService(service(row), row.getString("credential")));
                    } catch (RuntimeException e) {
                        setAside("service", row.getString("id"), e);
                    }
                });
        all.sort(Comparator.comparingLong(stored -> stored.profile().firstSeenMicros()));
        return all;
    }

    @Override
    public Map<String, Fleet.SourceReport> sources(int most) {
        Map<String, Fleet.SourceReport> all = new TreeMap<>();
        jdbc.sql("select * from telemetry_source order by last_seen desc fetch first ? rows only")
                .param(most)
                .query(row -> {
                    String name = row.getString("name");
                    try {
                        SourceStatus status = status(row.getString("status"));
                        all.put(
                                name,
                                new Fleet.SourceReport(
                                        status,
                                        row.getLong("last_seen"),
                                        row.getString("credential")));
                    } catch (RuntimeException e) {
                        setAside("source", name, e);
                    }
                });
        return all;
    }

    /** Reads a status; e2344e0 wrote the two values of its use beside the others. */
    private SourceStatus status(String text) {
        JsonNode tree = json.readTree(text);
        if (tree instanceof ObjectNode status && !status.has("use")) {
            ObjectNode use = status.putObject("use");
            for (String value : List.of("residentBytes", "cpuCores")) {
                JsonNode moved = status.remove(value);
                if (moved != null) {
                    use.set(value, moved);
                }
            }
        }
        return json.treeToValue(tree, SourceStatus.class);
    }

    /** Reports a row that cannot be read. It stays in the table until its source reports again. */
    private static void setAside(String kind, String name, RuntimeException cause) {
        LOG.warn(
                "The stored {} {} cannot be read and is left out until it is reported again: {}",
                kind,
                name,
                cause.toString());
    }

    @Override
    public void save(ServiceProfile service, @Nullable String credential) {
        Upsert.into("watched_service")
                .key("id", service.id())
                .set("node", service.node())
                .set("name", service.name())
                .set("kind", service.kind())
                .set("version", service.version())
                .set(
                        "addresses",
                        json.writeValueAsString(service.addresses().stream()
                                .map(Endpoint::toString)
                                .toList()))
                .set("process_id", service.processId())
                .set("program", service.program())
                .set("settings", json.writeValueAsString(service.settings()))
                .set("reported_by", json.writeValueAsString(service.reportedBy()))
                .set("first_seen", service.firstSeenMicros())
                .set("last_seen", service.lastSeenMicros())
                .set("credential", credential)
                .set("labels", json.writeValueAsString(service.labels()))
                .run(jdbc);
    }

    @Override
    public void remove(String serviceId) {
        jdbc.sql("delete from watched_service where id = ?").param(serviceId).update();
    }

    @Override
    public void removeSource(String name) {
        jdbc.sql("delete from telemetry_source where name = ?").param(name).update();
    }

    @Override
    public void save(String source, Fleet.SourceReport report) {
        Upsert.into("telemetry_source")
                .key("name", source)
                .set("status", json.writeValueAsString(report.status()))
                .set("last_seen", report.atMicros())
                .set("credential", report.credential())
                .run(jdbc);
    }

    private ServiceProfile service(ResultSet row) throws SQLException {
        long process = row.getLong("process_id");
        boolean noProcess = row.wasNull();
        String labels = row.getString("labels");
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
                row.getLong("last_seen"),
                labels == null
                        ? List.of()
                        : List.of(json.readValue(labels, ReportedLabel[].class)));
    }
}
