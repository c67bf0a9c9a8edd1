package dev.komainu.central.change;

import dev.komainu.telemetry.wire.Sha256;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Component;

/** The recorded changes, each once. Any thread. */
@Component
public class Changes {

    private final JdbcClient jdbc;
    private final Clock clock;
    private final List<Consumer<Change>> listeners = new CopyOnWriteArrayList<>();

    public Changes(JdbcClient jdbc, Clock clock) {
        this.jdbc = jdbc;
        this.clock = clock;
    }

    /** The outcome of recording a change. */
    public sealed interface Outcome {
        record Recorded(Change change) implements Outcome {}

        /** The same request came with the same key before; the change is its result. */
        record Repeated(Change change) implements Outcome {}

        /** The key came before with another request. */
        record KeyReused() implements Outcome {}
    }

    /**
     * Adds a listener.
     *
     * @param listener called once for each recorded change, on the recording thread; must return at
     *     once
     */
    public void addListener(Consumer<Change> listener) {
        listeners.add(listener);
    }

    public void removeListener(Consumer<Change> listener) {
        listeners.remove(listener);
    }

    /**
     * Records a change.
     *
     * @param key the caller's Idempotency-Key; keys of different callers are distinct
     */
    public Outcome record(Change.Wish wish, String by, @Nullable String key) {
        return record(new Recording(wish, by, key, null, null, null));
    }

    /**
     * Records a note on the time line of a service. It is marked where changes are, and nothing
     * verifies it.
     *
     * @param wish its title is the text; it names no setting
     * @param at time that it belongs to
     * @param key as of {@link #record(Change.Wish, String, String)}
     */
    public Outcome recordNote(Change.Wish wish, String by, Instant at, @Nullable String key) {
        return record(new Recording(wish, by, key, null, null, at));
    }

    /**
     * Records the change that an order made, once, even when its outcome is reported repeatedly.
     *
     * @param begun time at which the agent started
     */
    public Change recordApplied(Change.Wish wish, String by, long orderId, Instant begun) {
        return switch (record(new Recording(wish, by, null, orderId, begun, null))) {
            case Outcome.Recorded recorded -> recorded.change();
            case Outcome.Repeated repeated -> repeated.change();
            case Outcome.KeyReused reused ->
                throw new IllegalStateException("Order " + orderId + " has two different outcomes");
        };
    }

    /**
     * A change to record.
     *
     * @param noteAt time of a note; absent for a change
     */
    private record Recording(
            Change.Wish wish,
            String by,
            @Nullable String key,
            @Nullable Long orderId,
            @Nullable Instant begun,
            @Nullable Instant noteAt) {

        /** A caller's key always contains a space, so it never equals an order's key. */
        @Nullable
        String ownKey() {
            return orderId != null ? "orders/" + orderId : key == null ? null : by + " " + key;
        }

        String hash() {
            return Sha256.hex(noteAt == null ? wish.toString() : wish + " " + noteAt);
        }
    }

    private Outcome record(Recording recording) {
        Change.Wish wish = recording.wish();
        String by = recording.by();
        Long orderId = recording.orderId();
        Instant begun = recording.begun();
        String ownKey = recording.ownKey();
        String hash = recording.hash();
        Optional<Outcome> earlier = earlier(ownKey, hash);
        if (earlier.isPresent()) {
            return earlier.get();
        }
        Instant noteAt = recording.noteAt();
        boolean isNote = noteAt != null;
        Instant at = Objects.requireNonNullElseGet(noteAt, clock::instant)
                .truncatedTo(ChronoUnit.MICROS);
        GeneratedKeyHolder id = new GeneratedKeyHolder();
        try {
            jdbc.sql("""
                            insert into changes (at, by_name, service, title, setting, before_value, after_value,
                                advice_id, diagnosis_id, note, idempotency_key, request_hash, order_id, begun, is_note)
                            values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""")
                    .param(at.atOffset(ZoneOffset.UTC))
                    .param(by)
                    .param(wish.service())
                    .param(wish.title())
                    .param(wish.setting())
                    .param(wish.before())
                    .param(wish.after())
                    .param(wish.adviceId())
                    .param(wish.diagnosisId())
                    .param(wish.note())
                    .param(ownKey)
                    .param(hash)
                    .param(orderId)
                    .param(begun == null ? null : begun.atOffset(ZoneOffset.UTC))
                    .param(isNote)
                    .update(id, "id");
        } catch (DuplicateKeyException e) {
            // The same request arrived twice concurrently, and the other one was first.
            return earlier(ownKey, hash).orElseThrow(() -> e);
        }
        Change change = new Change(
                Objects.requireNonNull(id.getKey()).longValue(),
                at,
                by,
                wish,
                orderId,
                begun,
                isNote);
        listeners.forEach(listener -> listener.accept(change));
        return new Outcome.Recorded(change);
    }

    /**
     * Returns changes, newest first, only those with an id below {@code before}.
     *
     * @param service absent: all services
     */
    public List<Change> list(@Nullable String service, long before, int limit) {
        return jdbc.sql("""
                        select * from changes where id < :before and (cast(:service as varchar) is null or service = :service)
                        order by id desc fetch first :limit rows only""")
                .param("before", before)
                .param("service", service)
                .param("limit", limit)
                .query((row, n) -> change(row))
                .list();
    }

    public Optional<Change> find(long id) {
        return jdbc.sql("select * from changes where id = ?")
                .param(id)
                .query((row, n) -> change(row))
                .optional();
    }

    /**
     * Returns the changes of one service recorded from {@code from} on and before {@code to},
     * oldest first, at most 1000.
     */
    public List<Change> between(String service, Instant from, Instant to) {
        return jdbc.sql("""
                        select * from changes where service = ? and at >= ? and at < ?
                        order by id fetch first 1000 rows only""")
                .params(service, from.atOffset(ZoneOffset.UTC), to.atOffset(ZoneOffset.UTC))
                .query((row, n) -> change(row))
                .list();
    }

    private Optional<Outcome> earlier(@Nullable String ownKey, String hash) {
        if (ownKey == null) {
            return Optional.empty();
        }
        return jdbc.sql("select * from changes where idempotency_key = ?")
                .param(ownKey)
                .query((row, n) -> (Outcome)
                        (hash.equals(row.getString("request_hash"))
                                ? new Outcome.Repeated(change(row))
                                : new Outcome.KeyReused()))
                .optional();
    }

    private static Change change(ResultSet row) throws SQLException {
        long order = row.getLong("order_id");
        Long orderId = row.wasNull() ? null : order;
        OffsetDateTime begun = row.getObject("begun", OffsetDateTime.class);
        return new Change(
                row.getLong("id"),
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getString("by_name"),
                new Change.Wish(
                        row.getString("service"),
                        row.getString("title"),
                        row.getString("setting"),
                        row.getString("before_value"),
                        row.getString("after_value"),
                        row.getString("advice_id"),
                        row.getString("diagnosis_id"),
                        row.getString("note")),
                orderId,
                begun == null ? null : begun.toInstant(),
                row.getBoolean("is_note"));
    }
}
