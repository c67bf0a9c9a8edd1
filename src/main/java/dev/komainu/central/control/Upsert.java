package dev.komainu.central.control;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A statement that changes the row of a key, or inserts it when there is none. Its text is the
 * standard's MERGE (SQL:2003), which both H2 and PostgreSQL understand. Not thread-safe.
 *
 * <pre>
 * Upsert.into("service_label").key("service", id).set("label_value", value).run(jdbc);
 * </pre>
 *
 * <p>PostgreSQL's {@code insert … on conflict} would not need the second attempt of {@link #run},
 * but H2 does not know it.
 */
public final class Upsert {

    private final String table;
    private final Map<String, @Nullable Object> keys = new LinkedHashMap<>();
    private final Map<String, @Nullable Object> changed = new LinkedHashMap<>();
    private final Map<String, @Nullable Object> inserted = new LinkedHashMap<>();

    private Upsert(String table) {
        this.table = table;
    }

    public static Upsert into(String table) {
        return new Upsert(table);
    }

    /** Adds a column of the primary key. */
    public Upsert key(String column, Object value) {
        keys.put(column, value);
        return this;
    }

    /** Adds a column that is set in an existing row, too. */
    public Upsert set(String column, @Nullable Object value) {
        changed.put(column, value);
        return this;
    }

    /** Adds a column that is set in a new row only. */
    public Upsert initially(String column, @Nullable Object value) {
        inserted.put(column, value);
        return this;
    }

    /**
     * Runs the statement. When another connection writes the same key at the same time, the
     * statement runs once more, which finds that row; not within a transaction, which PostgreSQL
     * has then aborted.
     *
     * @return number of rows that were changed or inserted
     * @throws DuplicateKeyException within a transaction, in that case
     */
    public int run(JdbcClient jdbc) {
        try {
            return update(jdbc);
        } catch (DuplicateKeyException | ConcurrencyFailureException e) {
            if (TransactionSynchronizationManager.isActualTransactionActive()) {
                throw e;
            }
            return update(jdbc);
        }
    }

    private int update(JdbcClient jdbc) {
        JdbcClient.StatementSpec statement = jdbc.sql(text());
        for (Map<String, @Nullable Object> columns : List.of(keys, changed, inserted)) {
            for (Map.Entry<String, @Nullable Object> column : columns.entrySet()) {
                statement = statement.param(column.getKey(), column.getValue());
            }
        }
        return statement.update();
    }

    String text() {
        String condition = keys.keySet().stream()
                .map(column -> table + "." + column + " = :" + column)
                .collect(Collectors.joining(" and "));
        String update = changed.isEmpty()
                ? ""
                : " when matched then update set "
                        + changed.keySet().stream()
                                .map(column -> column + " = :" + column)
                                .collect(Collectors.joining(", "));
        return "merge into " + table + " using (select 1 as one) as once on " + condition + update
                + " when not matched then insert (" + columns("") + ") values (" + columns(":")
                + ")";
    }

    private String columns(String prefix) {
        return Stream.of(keys, changed, inserted)
                .flatMap(columns -> columns.keySet().stream())
                .map(column -> prefix + column)
                .collect(Collectors.joining(", "));
    }
}
