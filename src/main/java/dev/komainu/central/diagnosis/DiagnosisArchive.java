package dev.komainu.central.diagnosis;

import java.sql.ResultSet;
import java.sql.SQLException;
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
        return diagnosis.kept(Objects.requireNonNull(id.getKey()).toString(), by);
    }

    /**
     * Returns stored runs, newest first.
     *
     * @param before upper limit (exclusive) of the ids
     */
    public List<Diagnosis> list(@Nullable String service, long before, int limit) {
        return jdbc.sql("""
                        select * from kept_diagnosis where (:service is null or service = :service) and id < :before
                        order by id desc fetch first :limit rows only""")
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
        return json.readValue(row.getString("document"), Diagnosis.class)
                .kept(Long.toString(row.getLong("id")), row.getString("by_name"));
    }
}
