package dev.komainu.central.alert.notify;

import dev.komainu.central.alert.Notice;
import dev.komainu.central.control.Upsert;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * The database table of deliveries and their attempts. Waiting deliveries are resumed after a
 * restart. Any thread.
 */
@Component
public class DeliveryTable {

    static final String WAITING = "waiting";
    static final String DELIVERED = "delivered";
    static final String FAILED = "failed";
    static final String DROPPED = "dropped";

    private final JdbcClient jdbc;
    private final JsonMapper json = JsonMapper.builder().build();

    public DeliveryTable(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** One attempt, for display. */
    public record Attempt(Instant at, boolean delivered, String outcome, long millis) {}

    /**
     * A delivery, for display.
     *
     * @param position ascending with time
     * @param status waiting, delivered, failed or dropped
     * @param outcome outcome of the last attempt, or the reason why the delivery was dropped
     */
    public record Row(
            long position,
            String id,
            String receiver,
            String receiverName,
            String tell,
            String subject,
            String status,
            Instant createdAt,
            @Nullable Instant nextAt,
            @Nullable Instant finishedAt,
            @Nullable String outcome,
            List<Attempt> attempts) {}

    /** Inserts a delivery; does nothing when it is there. */
    void insert(Delivery delivery) {
        Upsert.into("alert_delivery")
                .key("id", delivery.id())
                .initially("receiver", delivery.receiver())
                .initially("receiver_name", delivery.receiverName())
                .initially("tell", delivery.notice().tell().text())
                .initially("subject", delivery.notice().alert().subject())
                .initially("notice", json.writeValueAsString(delivery.notice()))
                .initially("status", WAITING)
                .initially("created_at", at(delivery.createdAt()))
                .initially("next_at", at(delivery.nextAt()))
                .initially("attempts", delivery.attempts())
                .initially("incident", delivery.notice().alert().incident())
                .run(jdbc);
    }

    /** Inserts an attempt; does nothing when it is there. */
    void attempted(String delivery, Instant at, DeliveryOutcome outcome, long millis) {
        Upsert.into("alert_attempt")
                .key("delivery", delivery)
                .key("at", at(at.truncatedTo(ChronoUnit.MICROS)))
                .initially("delivered", outcome.delivered())
                .initially("outcome", outcome.text())
                .initially("millis", millis)
                .run(jdbc);
    }

    void later(Delivery delivery, String outcome) {
        jdbc.sql("update alert_delivery set next_at = ?, attempts = ?, outcome = ? where id = ?")
                .param(at(delivery.nextAt()))
                .param(delivery.attempts())
                .param(outcome)
                .param(delivery.id())
                .update();
    }

    void finished(String delivery, String status, int attempts, String outcome, Instant now) {
        jdbc.sql("""
                        update alert_delivery set status = ?, attempts = ?, outcome = ?, finished_at = ?, next_at = null
                        where id = ?""")
                .param(status)
                .param(attempts)
                .param(outcome)
                .param(at(now))
                .param(delivery)
                .update();
    }

    /** Marks all waiting deliveries of a receiver as dropped. */
    void dropWaiting(String receiver, String reason, Instant now) {
        jdbc.sql("""
                        update alert_delivery set status = ?, outcome = ?, finished_at = ?, next_at = null
                        where receiver = ? and status = ?""").params(DROPPED, reason, at(now), receiver, WAITING).update();
    }

    /** Returns the waiting deliveries, oldest first. */
    List<Delivery> waiting() {
        return jdbc.sql("select * from alert_delivery where status = ? order by position")
                .param(WAITING)
                .query((row, n) -> new Delivery(
                        row.getString("id"),
                        row.getString("receiver"),
                        row.getString("receiver_name"),
                        json.readValue(row.getString("notice"), Notice.class),
                        row.getObject("created_at", OffsetDateTime.class).toInstant(),
                        row.getInt("attempts"),
                        row.getObject("next_at", OffsetDateTime.class).toInstant()))
                .list();
    }

    /**
     * Returns the deliveries to a receiver with their attempts, newest first, only those of a
     * smaller position.
     */
    public List<Row> list(String receiver, long before, int limit) {
        List<Row> bare = jdbc.sql("""
                        select * from alert_delivery where receiver = ? and position < ?
                        order by position desc fetch first ? rows only""")
                .params(receiver, before, limit)
                .query((row, n) -> row(row, List.of()))
                .list();
        if (bare.isEmpty()) {
            return bare;
        }
        Map<String, List<Attempt>> attempts = new HashMap<>();
        jdbc.sql("select * from alert_attempt where delivery in (:ids) order by at")
                .param("ids", bare.stream().map(Row::id).toList())
                .query(row -> {
                    attempts.computeIfAbsent(row.getString("delivery"), id -> new ArrayList<>())
                            .add(attempt(row));
                });
        return bare.stream()
                .map(each -> new Row(
                        each.position(),
                        each.id(),
                        each.receiver(),
                        each.receiverName(),
                        each.tell(),
                        each.subject(),
                        each.status(),
                        each.createdAt(),
                        each.nextAt(),
                        each.finishedAt(),
                        each.outcome(),
                        List.copyOf(attempts.getOrDefault(each.id(), List.of()))))
                .toList();
    }

    /** Returns the deliveries of an incident's notices, oldest first, without their attempts. */
    public List<Row> ofIncident(String incident, int limit) {
        return jdbc.sql(
                        "select * from alert_delivery where incident = ? order by position fetch first ? rows only")
                .params(incident, limit)
                .query((row, n) -> row(row, List.of()))
                .list();
    }

    /** Returns the newest attempt for a receiver; {@code null} before the first. */
    public @Nullable Attempt lastAttempt(String receiver) {
        return jdbc.sql("""
                        select a.* from alert_attempt a join alert_delivery d on d.id = a.delivery
                        where d.receiver = ? order by a.at desc fetch first row only""")
                .param(receiver)
                .query((row, n) -> attempt(row))
                .optional()
                .orElse(null);
    }

    /** Returns the number of stored deliveries to a receiver that were dropped. */
    public long dropped(String receiver) {
        return jdbc.sql("select count(*) from alert_delivery where receiver = ? and status = ?")
                .params(receiver, DROPPED)
                .query(Long.class)
                .single();
    }

    /**
     * Deletes deliveries that finished more than {@code daysAgo} days before now and before the
     * newest end. The second condition limits the damage of a clock that is ahead.
     */
    void forgetFinished(Instant now, int daysAgo) {
        jdbc.sql("delete from alert_delivery where finished_at < ?"
                        + " and finished_at < (select max(finished_at) from alert_delivery)"
                        + " - interval '1' day * cast(? as int)")
                .param(at(now.minus(Duration.ofDays(daysAgo))))
                .param(daysAgo)
                .update();
    }

    private static Row row(ResultSet row, List<Attempt> attempts) throws SQLException {
        return new Row(
                row.getLong("position"),
                row.getString("id"),
                row.getString("receiver"),
                row.getString("receiver_name"),
                row.getString("tell"),
                row.getString("subject"),
                row.getString("status"),
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                instant(row, "next_at"),
                instant(row, "finished_at"),
                row.getString("outcome"),
                attempts);
    }

    private static Attempt attempt(ResultSet row) throws SQLException {
        return new Attempt(
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getBoolean("delivered"),
                row.getString("outcome"),
                row.getLong("millis"));
    }

    private static OffsetDateTime at(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
        return at == null ? null : at.toInstant();
    }
}
