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
 * A small database table of items that users edit, one JSON body each, cached in memory and written
 * through. The version detects concurrent edits (optimistic locking). An Idempotency-Key determines
 * the id, so that a repeated creation returns the first item. Any thread; writes are serialized.
 */
public final class VersionedTable<T> {

    private static final SecureRandom RANDOM = new SecureRandom();

    private final JdbcClient jdbc;
    private final String table;
    private final Class<T> type;
    private final @Nullable RowSecrets<T> secrets;
    private final JsonMapper json = JsonMapper.builder().build();
    private volatile List<Versioned<T>> all;

    /**
     * Loads the table.
     *
     * @param table name of a table with the columns id, version, body, request_hash, position
     */
    public VersionedTable(JdbcClient jdbc, String table, Class<T> type) {
        this(jdbc, table, type, null);
    }

    /**
     * Loads a table whose bodies contain secrets. Secrets in clear, and those encrypted with an
     * older key, are encrypted.
     *
     * @param secrets the secrets of a body; absent: it has none
     */
    public VersionedTable(
            JdbcClient jdbc, String table, Class<T> type, @Nullable RowSecrets<T> secrets) {
        this.jdbc = jdbc;
        this.table = table;
        this.type = type;
        this.secrets = secrets;
        if (secrets != null) {
            seal(secrets);
        }
        this.all = read();
    }

    private void seal(RowSecrets<T> with) {
        for (Versioned<T> stored : stored()) {
            T sealed = with.sealed(stored.id(), stored.body());
            if (!sealed.equals(stored.body())) {
                // The hash of a request was that of its secrets in clear.
                jdbc.sql("update " + table + " set body = ?, request_hash = null where id = ?")
                        .params(json.writeValueAsString(sealed), stored.id())
                        .update();
            }
        }
    }

    /** Returns a body as it is stored. */
    private String text(String id, T body) {
        return json.writeValueAsString(secrets == null ? body : secrets.sealed(id, body));
    }

    private String hash(Object requested) {
        String text = json.writeValueAsString(requested);
        return secrets == null ? Sha256.hex(text) : secrets.digest(text);
    }

    /** The outcome of a creation. */
    public sealed interface Created<T> {
        record Fresh<T>(Versioned<T> item) implements Created<T> {}

        /** The same request came with the same key before; the item is its result. */
        record Repeated<T>(Versioned<T> item) implements Created<T> {}

        /** The key came before with another request. */
        record KeyReused<T>() implements Created<T> {}
    }

    /** Returns all items in the order of creation. */
    public List<Versioned<T>> all() {
        return all;
    }

    public Optional<Versioned<T>> find(String id) {
        return all.stream().filter(each -> each.id().equals(id)).findFirst();
    }

    /**
     * Creates an item, or returns the result of an earlier request with the same key.
     *
     * @param requested compared when the key comes again: the body without the fields set from the
     *     clock
     * @param by name of the caller; keys of different callers are distinct
     * @param key the caller's Idempotency-Key; absent: always creates
     */
    public synchronized Created<T> create(
            T body, Object requested, String by, @Nullable String key) {
        byte[] random = new byte[8];
        RANDOM.nextBytes(random);
        String id = key == null
                ? HexFormat.of().formatHex(random)
                : Sha256.hex(table + "\n" + by + "\n" + key).substring(0, 16);
        String stored = text(id, body);
        String hash = hash(requested);
        try {
            jdbc.sql("insert into " + table
                            + " (id, version, body, request_hash) values (?, 1, ?, ?)")
                    .params(id, stored, hash)
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

    /**
     * Replaces an item. Returns empty when its version is no longer {@code version} or it does not
     * exist.
     */
    public synchronized Optional<Versioned<T>> replace(String id, long version, T body) {
        int rows = jdbc.sql("update " + table
                        + " set body = ?, version = version + 1 where id = ? and version = ?")
                .params(text(id, body), id, version)
                .update();
        all = read();
        return rows == 0 ? Optional.empty() : find(id);
    }

    /** Deletes an item and returns it; empty when it does not exist. */
    public synchronized Optional<Versioned<T>> delete(String id) {
        Optional<Versioned<T>> deleted = find(id);
        jdbc.sql("delete from " + table + " where id = ?").param(id).update();
        all = read();
        return deleted;
    }

    private List<Versioned<T>> read() {
        RowSecrets<T> with = secrets;
        return with == null
                ? stored()
                : stored().stream()
                        .map(row -> new Versioned<>(
                                row.id(), row.version(), with.opened(row.id(), row.body())))
                        .toList();
    }

    private List<Versioned<T>> stored() {
        return jdbc.sql("select id, version, body from " + table + " order by position")
                .query((row, n) -> new Versioned<>(
                        row.getString("id"),
                        row.getLong("version"),
                        json.readValue(row.getString("body"), type)))
                .list();
    }
}
