package dev.komainu.central.capacity;

import dev.komainu.central.change.Change;
import dev.komainu.central.control.Upsert;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The changes that are marked as upgrades, with their cost and the knee before. The change itself
 * is never altered; the mark is stored beside it. The knee before is stored, because its telemetry
 * is deleted by age. Any thread.
 */
final class Upgrades {

    private static final String SELECT = "select u.*, c.service, c.title, c.at as changed_at "
            + "from capacity_upgrades u join changes c on c.id = u.change_id ";

    private final JdbcClient jdbc;

    Upgrades(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void mark(
            Change change,
            @Nullable BigDecimal cost,
            @Nullable String currency,
            String by,
            Upgrade.@Nullable Side before) {
        Upsert.into("capacity_upgrades")
                .key("change_id", change.id())
                .set("cost", cost)
                .set("currency", currency)
                .set("marked_by", by)
                .set("knee_rate", before == null ? null : before.rate())
                .set("knee_low", before == null ? null : before.low())
                .set("knee_high", before == null ? null : before.high())
                .set("knee_by", before == null ? null : before.by())
                .set("knee_beyond", before == null ? null : before.beyond())
                .run(jdbc);
    }

    boolean unmark(long changeId) {
        return jdbc.sql("delete from capacity_upgrades where change_id = ?")
                        .param(changeId)
                        .update()
                > 0;
    }

    Optional<Upgrade> find(long changeId) {
        return jdbc.sql(SELECT + "where u.change_id = ?")
                .param(changeId)
                .query((row, n) -> upgrade(row))
                .optional();
    }

    /** Returns the upgrades of one service under all its names, newest first. */
    List<Upgrade> of(Set<String> names) {
        return jdbc.sql(SELECT
                        + "where c.service in (:names) order by c.id desc fetch first 50 rows only")
                .param("names", names)
                .query((row, n) -> upgrade(row))
                .list();
    }

    private static Upgrade upgrade(ResultSet row) throws SQLException {
        Double rate = row.getObject("knee_rate", Double.class);
        return new Upgrade(
                row.getLong("change_id"),
                row.getString("service"),
                row.getString("title"),
                row.getObject("changed_at", OffsetDateTime.class).toInstant(),
                row.getBigDecimal("cost"),
                row.getString("currency"),
                rate == null
                        ? null
                        : new Upgrade.Side(
                                rate,
                                row.getDouble("knee_low"),
                                row.getObject("knee_high", Double.class),
                                row.getString("knee_by"),
                                row.getBoolean("knee_beyond")));
    }
}
