package dev.komainu.central.order;

import dev.komainu.central.change.Change;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.OrderOutcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The database table of orders. Any thread. */
@Component
class OrderTable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final JdbcClient jdbc;

    OrderTable(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** An open order and its signed form for the agent. */
    record Open(OrderRecord order, String signed) {}

    /**
     * Inserts an order.
     *
     * @param companions values that change together with its own
     * @throws org.springframework.dao.DuplicateKeyException when the key came before
     */
    OrderRecord insert(
            Order order,
            String signed,
            Change.Wish wish,
            List<Order.Companion> companions,
            String source,
            String by,
            @Nullable Long rollbackOf,
            @Nullable String key,
            String hash) {
        GeneratedKeyHolder id = new GeneratedKeyHolder();
        Instant at = instant(order.issuedMicros());
        Instant expires = instant(order.expiresMicros());
        jdbc.sql("""
                        insert into orders (code, at, expires, by_name, node, source, service, title, setting, before_value,
                            after_value, advice_id, diagnosis_id, note, consequence, rollback_of, signed, state, restored,
                            idempotency_key, request_hash, companions)
                        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""")
                .param(order.id())
                .param(at.atOffset(ZoneOffset.UTC))
                .param(expires.atOffset(ZoneOffset.UTC))
                .param(by)
                .param(order.node())
                .param(source)
                .param(wish.service())
                .param(wish.title())
                .param(wish.setting())
                .param(wish.before())
                .param(wish.after())
                .param(wish.adviceId())
                .param(wish.diagnosisId())
                .param(wish.note())
                .param(order.then().name())
                .param(rollbackOf)
                .param(signed)
                .param(OrderRecord.State.OPEN.name())
                .param(false)
                .param(key)
                .param(hash)
                .param(companions.isEmpty() ? null : JSON.writeValueAsString(companions))
                .update(id, "id");
        return find(Objects.requireNonNull(id.getKey()).longValue()).orElseThrow();
    }

    /** Stores the outcome of an order. Returns false when the order has one already. */
    boolean end(String code, OrderOutcome outcome, @Nullable Long changeId, Instant now) {
        return jdbc.sql("""
                        update orders set state = ?, reason = ?, detail = ?, file = ?, restored = ?, begun = ?, ended = ?,
                            change_id = ?
                        where code = ? and state in ('OPEN', 'EXPIRED')""")
                        .param(outcome.state().name())
                        .param(cut(outcome.reason(), 40))
                        .param(cut(outcome.detail(), 2000))
                        .param(cut(outcome.change().file(), 1000))
                        .param(outcome.change().restored())
                        .param(instant(outcome.begunMicros()).atOffset(ZoneOffset.UTC))
                        .param(now.atOffset(ZoneOffset.UTC))
                        .param(changeId)
                        .param(code)
                        .update()
                == 1;
    }

    /**
     * Marks open orders as expired that were void before an instant or were given after another.
     */
    void expire(Instant before, Instant givenAfter) {
        jdbc.sql("update orders set state = 'EXPIRED', reason = 'no-outcome'"
                        + " where state = 'OPEN' and (expires < ? or at > ?)")
                .params(before.atOffset(ZoneOffset.UTC), givenAfter.atOffset(ZoneOffset.UTC))
                .update();
    }

    List<Open> open() {
        return jdbc.sql("select * from orders where state = 'OPEN' order by id")
                .query((row, n) -> new Open(order(row), row.getString("signed")))
                .list();
    }

    Optional<OrderRecord> find(long id) {
        return jdbc.sql("select * from orders where id = ?")
                .param(id)
                .query((row, n) -> order(row))
                .optional();
    }

    Optional<OrderRecord> findCode(String code) {
        return jdbc.sql("select * from orders where code = ?")
                .param(code)
                .query((row, n) -> order(row))
                .optional();
    }

    /** Returns orders, newest first, only those of a smaller id. */
    List<OrderRecord> list(@Nullable String service, long before, int limit) {
        return jdbc.sql("""
                        select * from orders where (cast(:service as varchar) is null or service = :service) and id < :before
                        order by id desc fetch first :limit rows only""")
                .param("service", service)
                .param("before", before)
                .param("limit", limit)
                .query((row, n) -> order(row))
                .list();
    }

    /** The order that was given with a key, and the hash of that request. */
    record Keyed(OrderRecord order, String hash) {}

    Optional<Keyed> keyed(String key) {
        return jdbc.sql("select * from orders where idempotency_key = ?")
                .param(key)
                .query((row, n) -> new Keyed(order(row), row.getString("request_hash")))
                .optional();
    }

    /**
     * Reports whether an order that is open, or ended since, set this setting to this value. An
     * order that just ended also matches another value, since a server can adjust a value to
     * others.
     */
    boolean madeSince(
            String service,
            String setting,
            @Nullable String after,
            Instant since,
            Instant justNow) {
        return jdbc.sql("""
                        select count(*) from orders where service = ? and lower(setting) = lower(?)
                        and (state = 'OPEN' or ended >= ? or after_value = ? and ended >= ?)""")
                                .param(service)
                                .param(setting)
                                .param(justNow.atOffset(ZoneOffset.UTC))
                                .param(after)
                                .param(since.atOffset(ZoneOffset.UTC))
                                .query(Integer.class)
                                .single()
                        > 0
                || madeAsCompanionSince(service, setting, after, since, justNow);
    }

    private boolean madeAsCompanionSince(
            String service,
            String setting,
            @Nullable String after,
            Instant since,
            Instant justNow) {
        return jdbc
                .sql("""
                        select * from orders where service = ? and companions is not null
                        and (state = 'OPEN' or ended >= ?)""")
                .params(service, since.atOffset(ZoneOffset.UTC))
                .query((row, n) -> order(row))
                .list()
                .stream()
                .anyMatch(order -> order.companions().stream()
                        .filter(companion -> companion.setting().equalsIgnoreCase(setting))
                        .anyMatch(companion -> order.ended() == null
                                || !order.ended().isBefore(justNow)
                                || companion.wanted().equals(after)));
    }

    boolean restartedSince(String service, Instant since) {
        return jdbc.sql("""
                        select count(*) from orders where service = ? and consequence = 'RESTART'
                        and (state = 'OPEN' or ended >= ?)""")
                        .params(service, since.atOffset(ZoneOffset.UTC))
                        .query(Integer.class)
                        .single()
                > 0;
    }

    private static OrderRecord order(ResultSet row) throws SQLException {
        long rollbackOf = row.getLong("rollback_of");
        Long undoes = row.wasNull() ? null : rollbackOf;
        long changeId = row.getLong("change_id");
        Long change = row.wasNull() ? null : changeId;
        return new OrderRecord(
                row.getLong("id"),
                row.getString("code"),
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getObject("expires", OffsetDateTime.class).toInstant(),
                row.getString("by_name"),
                row.getString("node"),
                row.getString("source"),
                new Change.Wish(
                        row.getString("service"),
                        row.getString("title"),
                        row.getString("setting"),
                        row.getString("before_value"),
                        row.getString("after_value"),
                        row.getString("advice_id"),
                        row.getString("diagnosis_id"),
                        row.getString("note")),
                companions(row.getString("companions")),
                Order.Then.valueOf(row.getString("consequence")),
                undoes,
                OrderRecord.State.valueOf(row.getString("state")),
                row.getString("reason"),
                row.getString("detail"),
                row.getString("file"),
                row.getBoolean("restored"),
                instant(row, "begun"),
                instant(row, "ended"),
                change);
    }

    private static List<Order.Companion> companions(@Nullable String json) {
        return json == null ? List.of() : List.of(JSON.readValue(json, Order.Companion[].class));
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static @Nullable String cut(@Nullable String text, int most) {
        return text == null || text.length() <= most ? text : text.substring(0, most - 1) + "…";
    }
}
