package dev.komainu.central.alert;

import dev.komainu.telemetry.wire.Sha256;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/**
 * A few things people edit, one JSON body each, read from memory on every tick and written through.
 * Versions keep two editors from undoing each other unknowingly; an Idempotency-Key makes the id,
 * so that a repeated creation meets the first one. Any thread; writers take turns.
 */
public final class VersionedTable<T> {

    private static final SecureRandom RANDOM = new SecureRandom();

    private final JdbcClient jdbc;
    private final String table;
    private final Class<T> type;
    private final JsonMapper json = JsonMapper.builder().build();
    private volatile List<Versioned<T>> all;

    /** @param table with the columns id, version, body, request_hash, position */
    public VersionedTable(JdbcClient jdbc, String table, Class<T> type) {
        this.jdbc = jdbc;
        this.table = table;
        this.type = type;
        this.all = read();
    }

    /** The outcome of a creation. */
    public sealed interface Created<T> {
        record Fresh<T>(Versioned<T> kept) implements Created<T> {}

        /** The same words came under the same key before; this is what became of them. */
        record Repeated<T>(Versioned<T> kept) implements Created<T> {}

        /** The key came before with other words. */
        record KeyReused<T>() implements Created<T> {}
    }

    /** In the order they were made. */
    public List<Versioned<T>> all() {
        return all;
    }

    public Optional<Versioned<T>> find(String id) {
        return all.stream().filter(each -> each.id().equals(id)).findFirst();
    }

    /**
     * @param asked what is compared when the key comes again: the body without what the clock put
     *     in
     * @param by keys of different callers do not meet
     * @param key the caller's Idempotency-Key
     */
    public synchronized Created<T> create(T body, Object asked, String by, @Nullable String key) {
        byte[] random = new byte[8];
        RANDOM.nextBytes(random);
        String id = key == null
                ? HexFormat.of().formatHex(random)
                : Sha256.hex(table + "\n" + by + "\n" + key).substring(0, 16);
        String written = json.writeValueAsString(body);
        String hash = Sha256.hex(json.writeValueAsString(asked));
        try {
            jdbc.sql("insert into " + table
                            + " (id, version, body, request_hash) values (?, 1, ?, ?)")
                    .params(id, written, hash)
                    .update();
        } catch (DuplicateKeyException e) {
            boolean same = jdbc.sql("select request_hash from " + table + " where id = ?")
                    .param(id)
                    .query(String.class)
                    .optional()
                    .filter(hash::equals)
                    .isPresent();
            return same
                    ? new Created.Repeated<>(find(id).orElseThrow())
                    : new Created.KeyReused<>();
        }
        all = read();
        return new Created.Fresh<>(find(id).orElseThrow());
    }

    /** @return empty when the version is not {@code version} any more, or the thing is gone */
    public synchronized Optional<Versioned<T>> replace(String id, long version, T body) {
        int rows = jdbc.sql("update " + table
                        + " set body = ?, version = version + 1 where id = ? and version = ?")
                .params(json.writeValueAsString(body), id, version)
                .update();
        all = read();
        return rows == 0 ? Optional.empty() : find(id);
    }

    /** @return what was there */
    public synchronized Optional<Versioned<T>> delete(String id) {
        Optional<Versioned<T>> before = find(id);
        jdbc.sql("delete from " + table + " where id = ?").param(id).update();
        all = read();
        return before;
    }

    private List<Versioned<T>> read() {
        return jdbc.sql("select id, version, body from " + table + " order by position")
                .query((row, n) -> new Versioned<>(
                        row.getString("id"),
                        row.getLong("version"),
                        json.readValue(row.getString("body"), type)))
                .list();
    }
}
