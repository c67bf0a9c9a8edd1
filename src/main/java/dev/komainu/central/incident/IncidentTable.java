package dev.komainu.central.incident;

import dev.komainu.central.control.Upsert;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

/** The database table of incidents. Any thread. */
@Component
public class IncidentTable {

    private final JdbcClient jdbc;
    private final JsonMapper json = JsonMapper.builder().build();

    public IncidentTable(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * One stored incident.
     *
     * @param position ascending in the order of insertion
     */
    public record Row(long position, Incident incident) {}

    /** Stores an incident; an earlier version of it is replaced. */
    @Transactional
    public void save(Incident incident) {
        String members = json.writeValueAsString(incident.members());
        int rows = jdbc.sql(
                        "update incident set root = ?, ended = ?, merged_into = ?, settled = ?, members = ? where id = ?")
                .param(incident.root())
                .param(at(incident.ended()))
                .param(incident.mergedInto())
                .param(incident.settled())
                .param(members)
                .param(incident.id())
                .update();
        if (rows == 0) {
            jdbc.sql(
                            "insert into incident (id, root, began, ended, merged_into, settled, members) values (?, ?, ?, ?, ?, ?, ?)")
                    .param(incident.id())
                    .param(incident.root())
                    .param(at(incident.began()))
                    .param(at(incident.ended()))
                    .param(incident.mergedInto())
                    .param(incident.settled())
                    .param(members)
                    .update();
        }
        for (IncidentMember member : incident.members()) {
            Upsert.into("incident_service")
                    .key("incident", incident.id())
                    .key("service", member.service())
                    .run(jdbc);
        }
    }

    /** Returns the incidents that have not ended, oldest first. */
    List<Incident> open() {
        return jdbc.sql("select * from incident where ended is null order by position")
                .query((row, n) -> incident(row))
                .list();
    }

    /** Returns the incident with this id. */
    public Optional<Incident> find(String id) {
        return jdbc.sql("select * from incident where id = ?")
                .param(id)
                .query((row, n) -> incident(row))
                .optional();
    }

    /**
     * Returns the ended incidents, the last to begin first; not those that another one continues.
     *
     * @param service absent: all
     * @param before returns only rows of a smaller position
     */
    public List<Row> ended(@Nullable String service, long before, int limit) {
        return jdbc.sql("""
                        select * from incident where ended is not null and merged_into is null and position < :before
                        and (cast(:service as varchar) is null or id in (select incident from incident_service where service = :service))
                        order by position desc fetch first :limit rows only""")
                .param("before", before)
                .param("service", service)
                .param("limit", limit)
                .query((row, n) -> new Row(row.getLong("position"), incident(row)))
                .list();
    }

    /**
     * Deletes incidents that ended more than {@code daysAgo} days before now and before the newest
     * end. The second condition limits the damage of a clock that is ahead.
     */
    void deleteEnded(Instant now, int daysAgo) {
        jdbc.sql(
                        "delete from incident where ended < ?"
                                + " and ended < (select max(ended) from incident) - interval '1' day * cast(? as int)")
                .param(at(now.minus(Duration.ofDays(daysAgo))))
                .param(daysAgo)
                .update();
    }

    private Incident incident(ResultSet row) throws SQLException {
        OffsetDateTime ended = row.getObject("ended", OffsetDateTime.class);
        return new Incident(
                row.getString("id"),
                row.getString("root"),
                row.getObject("began", OffsetDateTime.class).toInstant(),
                ended == null ? null : ended.toInstant(),
                row.getString("merged_into"),
                row.getBoolean("settled"),
                List.of(json.readValue(row.getString("members"), IncidentMember[].class)));
    }

    private static @Nullable OffsetDateTime at(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }
}
