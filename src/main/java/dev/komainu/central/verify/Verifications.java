package dev.komainu.central.verify;

import dev.komainu.central.diagnosis.Diagnosis;
import dev.komainu.central.state.ServiceState;
import java.sql.ResultSet;
import java.sql.SQLException;
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

/** The database table of runs: started with a plan, ended once. Any thread. */
@Component
public class Verifications {

    private final JdbcClient jdbc;
    private final JsonMapper json = JsonMapper.builder().build();

    public Verifications(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Starts a run.
     *
     * @param diagnosis present diagnosis; absent without one
     */
    Verification begin(
            String service,
            long changeId,
            String by,
            Instant started,
            VerificationPlan plan,
            ServiceState stateBefore,
            @Nullable Diagnosis diagnosis) {
        GeneratedKeyHolder id = new GeneratedKeyHolder();
        jdbc.sql("""
                        insert into verification (service, change_id, by_name, started, changed, baseline_from,
                            baseline_to, after_from, after_to, state_before, diagnosis)
                        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""")
                .param(service)
                .param(changeId)
                .param(by)
                .param(started.atOffset(ZoneOffset.UTC))
                .param(plan.changed())
                .param(plan.baselineFrom())
                .param(plan.baselineTo())
                .param(plan.afterFrom())
                .param(plan.afterTo())
                .param(stateBefore.label())
                .param(diagnosis == null ? null : json.writeValueAsString(diagnosis))
                .update(id, "id");
        long key = Objects.requireNonNull(id.getKey()).longValue();
        return new Verification(key, service, changeId, by, started, plan, stateBefore, null, null);
    }

    /** Ends a run. Returns false when it has ended already: the first result remains. */
    boolean end(long id, Instant finished, Comparison result) {
        return jdbc.sql("""
                        update verification set finished = ?, verdict = ?, reason = ?, result = ?
                        where id = ? and finished is null""")
                        .param(finished.atOffset(ZoneOffset.UTC))
                        .param(result.verdict().label())
                        .param(result.reason().label())
                        .param(json.writeValueAsString(result))
                        .param(id)
                        .update()
                == 1;
    }

    /** Returns the runs without a verdict, oldest first. */
    List<Verification> open() {
        return jdbc.sql("select * from verification where finished is null order by id")
                .query((row, n) -> run(row))
                .list();
    }

    /** Returns runs, newest first, only those of a smaller id. */
    public List<Verification> list(
            @Nullable String service, @Nullable Long changeId, long before, int limit) {
        return jdbc.sql("""
                        select * from verification where (cast(:service as varchar) is null or service = :service)
                        and (cast(:change as bigint) is null or change_id = :change) and id < :before
                        order by id desc fetch first :limit rows only""")
                .param("service", service)
                .param("change", changeId)
                .param("before", before)
                .param("limit", limit)
                .query((row, n) -> run(row))
                .list();
    }

    public Optional<Verification.WithDiagnosis> find(long id) {
        return jdbc.sql("select * from verification where id = ?")
                .param(id)
                .query((row, n) -> {
                    String diagnosis = row.getString("diagnosis");
                    return new Verification.WithDiagnosis(
                            run(row),
                            diagnosis == null ? null : json.readValue(diagnosis, Diagnosis.class));
                })
                .optional();
    }

    private Verification run(ResultSet row) throws SQLException {
        OffsetDateTime finished = row.getObject("finished", OffsetDateTime.class);
        String result = row.getString("result");
        return new Verification(
                row.getLong("id"),
                row.getString("service"),
                row.getLong("change_id"),
                row.getString("by_name"),
                row.getObject("started", OffsetDateTime.class).toInstant(),
                new VerificationPlan(
                        row.getLong("changed"),
                        row.getLong("baseline_from"),
                        row.getLong("baseline_to"),
                        row.getLong("after_from"),
                        row.getLong("after_to")),
                ServiceState.ofLabel(row.getString("state_before")),
                finished == null ? null : finished.toInstant(),
                result == null ? null : json.readValue(result, Comparison.class));
    }
}
