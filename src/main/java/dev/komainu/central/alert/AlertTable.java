package dev.komainu.central.alert;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The database table of alerts, with the evidence of each alert's newest step. Any thread. */
@Component
public class AlertTable {

    private final JdbcClient jdbc;
    private final JsonMapper json = JsonMapper.builder().build();

    public AlertTable(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * One stored alert.
     *
     * @param position ascending in the order of insertion
     */
    public record Row(long position, Alert alert) {}

    void save(Alert alert) {
        int rows = jdbc.sql("""
                        update alert set severity = ?, state = ?, text = ?, evidence = ?, ended_at = ?, end_reason = ?,
                            told_at = ?, told_state = ?, told_severity = ?, notices = ?, silenced_by = ? where id = ?""")
                .param(alert.severity().text())
                .param(alert.state())
                .param(json.writeValueAsString(alert.text()))
                .param(json.writeValueAsString(alert.evidence()))
                .param(at(alert.endedAt()))
                .param(alert.endReason())
                .param(at(alert.toldAt()))
                .param(alert.toldState())
                .param(text(alert.toldSeverity()))
                .param(alert.notices())
                .param(alert.silencedBy())
                .param(alert.id())
                .update();
        if (rows == 0) {
            insert(alert);
        }
    }

    private void insert(Alert alert) {
        jdbc.sql("""
                        insert into alert (id, rule, rule_name, kind, subject, severity, state, since, fired_at, text,
                            evidence, ended_at, end_reason, told_at, told_state, told_severity, notices, silenced_by,
                            incident) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""")
                .param(alert.id())
                .param(alert.rule())
                .param(alert.ruleName())
                .param(alert.kind().text())
                .param(alert.subject())
                .param(alert.severity().text())
                .param(alert.state())
                .param(at(alert.since()))
                .param(at(alert.firedAt()))
                .param(json.writeValueAsString(alert.text()))
                .param(json.writeValueAsString(alert.evidence()))
                .param(at(alert.endedAt()))
                .param(alert.endReason())
                .param(at(alert.toldAt()))
                .param(alert.toldState())
                .param(text(alert.toldSeverity()))
                .param(alert.notices())
                .param(alert.silencedBy())
                .param(alert.incident())
                .update();
    }

    /** Returns the alerts that have not ended, oldest first. */
    List<Alert> open() {
        return jdbc.sql("select * from alert where ended_at is null order by position")
                .query((row, n) -> alert(row))
                .list();
    }

    /**
     * Returns the ended alerts, the last to fire first.
     *
     * @param subject absent: all
     * @param before returns only rows of a smaller position
     */
    public List<Row> ended(@Nullable String subject, long before, int limit) {
        return jdbc.sql("""
                        select * from alert where ended_at is not null and position < :before
                        and (cast(:subject as varchar) is null or subject = :subject)
                        order by position desc fetch first :limit rows only""")
                .param("before", before)
                .param("subject", subject)
                .param("limit", limit)
                .query((row, n) -> new Row(row.getLong("position"), alert(row)))
                .list();
    }

    /**
     * Deletes alerts that ended more than {@code daysAgo} days before now and before the newest
     * end. The second condition limits the damage of a clock that is ahead.
     */
    void forgetEnded(Instant now, int daysAgo) {
        jdbc.sql(
                        "delete from alert where ended_at < ?"
                                + " and ended_at < (select max(ended_at) from alert) - interval '1' day * cast(? as int)")
                .param(at(now.minus(Duration.ofDays(daysAgo))))
                .param(daysAgo)
                .update();
    }

    private Alert alert(ResultSet row) throws SQLException {
        String toldSeverity = row.getString("told_severity");
        return new Alert(
                row.getString("id"),
                row.getString("rule"),
                row.getString("rule_name"),
                AlertKind.of(row.getString("kind")).orElseThrow(),
                row.getString("subject"),
                Severity.of(row.getString("severity")).orElseThrow(),
                row.getString("state"),
                row.getObject("since", OffsetDateTime.class).toInstant(),
                row.getObject("fired_at", OffsetDateTime.class).toInstant(),
                json.readValue(row.getString("text"), LocalizedText.class),
                List.of(json.readValue(row.getString("evidence"), Evidence[].class)),
                instant(row, "ended_at"),
                row.getString("end_reason"),
                instant(row, "told_at"),
                row.getString("told_state"),
                toldSeverity == null ? null : Severity.of(toldSeverity).orElseThrow(),
                row.getInt("notices"),
                row.getString("silenced_by"),
                row.getString("incident"));
    }

    private static @Nullable OffsetDateTime at(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
        return at == null ? null : at.toInstant();
    }

    private static @Nullable String text(@Nullable Severity severity) {
        return severity == null ? null : severity.text();
    }
}
