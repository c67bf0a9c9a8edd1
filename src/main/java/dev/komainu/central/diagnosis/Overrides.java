package dev.komainu.central.diagnosis;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * The verdicts that users set in place of measured ones. Only the end time of a row is ever
 * changed. The newest row of a decision applies until a user ends it or it expires. Any thread.
 */
@Component
public class Overrides {

    /** Longest time of an override; after it the user must set it again. */
    public static final Duration LONGEST = Duration.ofDays(30);

    private final JdbcClient jdbc;
    private final Clock clock;

    public Overrides(JdbcClient jdbc, Clock clock) {
        this.jdbc = jdbc;
        this.clock = clock;
    }

    /** Stores an override that applies from now; an earlier override of the same decision ends. */
    @Transactional
    public DecisionOverride put(
            String service,
            String node,
            Decision.Verdict verdict,
            String reason,
            String by,
            Instant until) {
        Instant at = clock.instant().truncatedTo(ChronoUnit.MICROS);
        close(service, node, by, at);
        Instant end = until.truncatedTo(ChronoUnit.MICROS);
        jdbc.sql("""
                        insert into decision_override (service, node, verdict, reason, by_name, at, until_at)
                        values (?, ?, ?, ?, ?, ?, ?)""")
                .params(
                        service,
                        node,
                        verdict.label(),
                        reason,
                        by,
                        at.atOffset(ZoneOffset.UTC),
                        end.atOffset(ZoneOffset.UTC))
                .update();
        return new DecisionOverride(node, verdict, reason, by, at, end);
    }

    /**
     * Ends an override.
     *
     * @return whether an override was in force until now
     */
    public boolean end(String service, String node, String by) {
        return close(service, node, by, clock.instant()) > 0;
    }

    private int close(String service, String node, String by, Instant at) {
        return jdbc.sql("""
                        update decision_override set ended_at = ?, ended_by = ?
                        where service = ? and node = ? and ended_at is null and until_at > ?""")
                .params(at.atOffset(ZoneOffset.UTC), by, service, node, at.atOffset(ZoneOffset.UTC))
                .update();
    }

    /** Returns the overrides in force, by decision. */
    public List<DecisionOverride> active(String service) {
        return jdbc.sql("""
                        select * from decision_override
                        where service = ? and ended_at is null and until_at > ? order by node, id""")
                .params(service, clock.instant().atOffset(ZoneOffset.UTC))
                .query((row, n) -> read(row))
                .list();
    }

    private static DecisionOverride read(ResultSet row) throws SQLException {
        return new DecisionOverride(
                row.getString("node"),
                Decision.Verdict.valueOf(row.getString("verdict").toUpperCase(Locale.ROOT)),
                row.getString("reason"),
                row.getString("by_name"),
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getObject("until_at", OffsetDateTime.class).toInstant());
    }
}
