package dev.komainu.central.access;

import java.time.Clock;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The audit log: actions with their actor. Entries are only added, and deleted by age. Any thread.
 */
@Component
public class Audit {

    private final JdbcClient jdbc;
    private final AccessSettings settings;
    private final Clock clock;

    public Audit(JdbcClient jdbc, AccessSettings settings, Clock clock) {
        this.jdbc = jdbc;
        this.settings = settings;
        this.clock = clock;
    }

    /** Records an action of an authenticated caller. */
    public void done(Caller caller, String action, @Nullable String subject) {
        done(caller, action, subject, null, null);
    }

    /** Records a change by an authenticated caller, with the state before and after. */
    public void done(
            Caller caller,
            String action,
            @Nullable String subject,
            @Nullable String before,
            @Nullable String after) {
        write(caller.origin(), caller.name(), action, subject, "done", before, after);
    }

    void write(
            AuditOrigin origin,
            String actor,
            String action,
            @Nullable String subject,
            String outcome,
            @Nullable String before,
            @Nullable String after) {
        jdbc.sql("""
                        insert into audit (at, actor, action, subject, outcome, address, agent, before, after)
                        values (?, ?, ?, ?, ?, ?, ?, ?, ?)""")
                .param(now())
                .param(cut(actor, 80))
                .param(action)
                .param(cut(subject, 200))
                .param(outcome)
                .param(origin.address())
                .param(origin.agent())
                .param(cut(before, 2000))
                .param(cut(after, 2000))
                .update();
    }

    /** Returns entries, newest first, only those with an id below {@code before}. */
    public List<AuditEntry> list(long before, int limit) {
        return jdbc.sql("select * from audit where id < ? order by id desc fetch first ? rows only")
                .params(before, limit)
                .query((row, n) -> new AuditEntry(
                        row.getLong("id"),
                        row.getObject("at", OffsetDateTime.class).toInstant(),
                        row.getString("actor"),
                        row.getString("action"),
                        row.getString("subject"),
                        row.getString("outcome"),
                        row.getString("address"),
                        row.getString("agent"),
                        row.getString("before"),
                        row.getString("after")))
                .list();
    }

    /**
     * Deletes entries above the configured age, measured from the clock and from the newest entry.
     * So a clock that is a year ahead at a start deletes nothing. Called at start.
     */
    void forgetOld() {
        jdbc.sql(
                        "delete from audit where at < ? and at < dateadd(day, ?, (select max(at) from audit))")
                .params(now().minus(Duration.ofDays(settings.auditDays())), -settings.auditDays())
                .update();
    }

    private OffsetDateTime now() {
        return clock.instant().atOffset(ZoneOffset.UTC);
    }

    private static @Nullable String cut(@Nullable String text, int most) {
        return text == null || text.length() <= most ? text : text.substring(0, most - 1) + "…";
    }
}
