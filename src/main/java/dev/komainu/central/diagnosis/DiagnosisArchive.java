package dev.komainu.central.diagnosis;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * The stored runs of the flowchart. A stored run never changes, whatever flowchart and rules are in
 * force later. Any thread.
 */
@Component
public class DiagnosisArchive {

    /** Name of who keeps the diagnoses of entries. */
    private static final String ITSELF = "komainu";

    private final JdbcClient jdbc;
    private final JsonMapper json = JsonMapper.builder().build();

    public DiagnosisArchive(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    public Diagnosis keep(Diagnosis diagnosis, String by) {
        GeneratedKeyHolder id = new GeneratedKeyHolder();
        jdbc.sql("insert into kept_diagnosis (service, at, by_name, document) values (?, ?, ?, ?)")
                .params(
                        diagnosis.service(),
                        diagnosis.at().atOffset(ZoneOffset.UTC),
                        by,
                        json.writeValueAsString(diagnosis))
                .update(id, "id");
        return diagnosis.kept(Objects.requireNonNull(id.getKey()).toString(), by, null);
    }

    /**
     * Stores the diagnosis of an entry into a bad state; an earlier diagnosis of the same entry is
     * replaced.
     */
    public void keepEntry(Diagnosis diagnosis, Instant entered) {
        String document = json.writeValueAsString(diagnosis);
        int replaced = jdbc.sql(
                        "update kept_diagnosis set at = ?, document = ?, size = ? where service = ? and entered = ?")
                .params(
                        diagnosis.at().atOffset(ZoneOffset.UTC),
                        document,
                        document.length(),
                        diagnosis.service(),
                        entered.atOffset(ZoneOffset.UTC))
                .update();
        if (replaced == 0) {
            jdbc.sql(
                            "insert into kept_diagnosis (service, at, by_name, document, size, entered) values (?, ?, ?, ?, ?, ?)")
                    .params(
                            diagnosis.service(),
                            diagnosis.at().atOffset(ZoneOffset.UTC),
                            ITSELF,
                            document,
                            document.length(),
                            entered.atOffset(ZoneOffset.UTC))
                    .update();
        }
    }

    /**
     * Deletes the oldest diagnoses of entries above the limits.
     *
     * @param perService how many may stay of this service
     * @param size limit of all services together, in characters
     * @return how many were deleted
     */
    public int deleteOldEntries(String service, int perService, long size) {
        int deleted = jdbc.sql("""
                        delete from kept_diagnosis where service = :service and entered is not null and id not in (
                          select id from kept_diagnosis where service = :service and entered is not null
                          order by entered desc fetch first :most rows only)""")
                .param("service", service)
                .param("most", perService)
                .update();
        long excess = jdbc.sql(
                                "select coalesce(sum(size), 0) from kept_diagnosis where entered is not null")
                        .query(Long.class)
                        .single()
                - size;
        if (excess <= 0) {
            return deleted;
        }
        for (EntrySize entry : jdbc.sql(
                        "select id, size from kept_diagnosis where entered is not null order by entered, id")
                .query(EntrySize.class)
                .list()) {
            if (excess <= 0) {
                break;
            }
            deleted += jdbc.sql("delete from kept_diagnosis where id = ?")
                    .param(entry.id())
                    .update();
            excess -= entry.size();
        }
        return deleted;
    }

    /** The size of a stored diagnosis. */
    record EntrySize(long id, long size) {}

    /**
     * Returns stored runs, newest first.
     *
     * @param before upper limit (exclusive) of the ids
     * @param enteredBy only diagnoses of entries at or before this instant; absent: all
     */
    public List<Diagnosis> list(
            @Nullable String service, @Nullable Instant enteredBy, long before, int limit) {
        return jdbc.sql("""
                        select * from kept_diagnosis where (cast(:service as varchar) is null or service = :service) and id < :before
                        and (cast(:enteredBy as timestamp with time zone) is null or entered <= :enteredBy)
                        order by id desc fetch first :limit rows only""")
                .param(
                        "enteredBy",
                        enteredBy == null ? null : enteredBy.atOffset(ZoneOffset.UTC),
                        Types.TIMESTAMP_WITH_TIMEZONE)
                .param("service", service)
                .param("before", before)
                .param("limit", limit)
                .query((row, n) -> kept(row))
                .list();
    }

    /**
     * Returns a stored run.
     *
     * @param id the id of the stored run; any other text finds nothing
     */
    public Optional<Diagnosis> find(String id) {
        long number;
        try {
            number = Long.parseLong(id);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
        return jdbc.sql("select * from kept_diagnosis where id = ?")
                .param(number)
                .query((row, n) -> kept(row))
                .optional();
    }

    private Diagnosis kept(ResultSet row) throws SQLException {
        OffsetDateTime entered = row.getObject("entered", OffsetDateTime.class);
        return json.readValue(row.getString("document"), Diagnosis.class)
                .kept(
                        Long.toString(row.getLong("id")),
                        row.getString("by_name"),
                        entered == null ? null : entered.toInstant());
    }
}
