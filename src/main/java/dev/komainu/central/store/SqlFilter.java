package dev.komainu.central.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A WHERE clause with its values, which are bound and never part of the text. An absent value does
 * not filter.
 */
final class SqlFilter extends RecordFilter<SqlFilter> {

    private final List<String> conditions = new ArrayList<>();
    private final List<Object> values = new ArrayList<>();

    private SqlFilter add(String condition, Object value) {
        conditions.add(condition);
        values.add(value);
        return this;
    }

    @Override
    SqlFilter equal(String column, @Nullable String text) {
        return text == null ? this : add(column + " = ?", text);
    }

    @Override
    SqlFilter equal(String column, long value) {
        return add(column + " = ?", value);
    }

    @Override
    SqlFilter atLeast(String column, @Nullable Long value) {
        return value == null ? this : add(column + " >= ?", value);
    }

    @Override
    SqlFilter atMost(String expression, long value) {
        return add(expression + " <= ?", value);
    }

    @Override
    SqlFilter contains(String column, @Nullable String text) {
        return text == null ? this : add("contains(" + column + ", ?)", text);
    }

    @Override
    SqlFilter within(String column, TimeRange range) {
        return add(column + " >= ?", range.fromMicros()).add(column + " < ?", range.toMicros());
    }

    @Override
    SqlFilter anyOf(String column, List<String> texts) {
        if (!texts.isEmpty()) {
            conditions.add(column + " IN (" + "?, ".repeat(texts.size() - 1) + "?)");
            values.addAll(texts);
        }
        return this;
    }

    SqlFilter before(RecordPosition position) {
        conditions.add("(instant < ? OR (instant = ? AND key < ?))");
        values.add(position.atMicros());
        values.add(position.atMicros());
        values.add(position.key());
        return this;
    }

    String sql() {
        return conditions.isEmpty() ? "true" : String.join(" AND ", conditions);
    }

    /**
     * Binds the values to a statement.
     *
     * @param times number of times that the clause occurs in the statement
     */
    void bind(PreparedStatement statement, int times) throws SQLException {
        int index = 1;
        for (int i = 0; i < times; i++) {
            for (Object value : values) {
                statement.setObject(index++, value);
            }
        }
    }
}
