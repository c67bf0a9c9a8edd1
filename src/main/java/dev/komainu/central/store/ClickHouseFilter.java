package dev.komainu.central.store;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A WHERE clause for ClickHouse, whose old versions bind no values: texts stand in it as literals.
 * An absent value does not filter.
 */
final class ClickHouseFilter extends RecordFilter<ClickHouseFilter> {

    private final List<String> conditions = new ArrayList<>();

    private ClickHouseFilter add(String condition) {
        conditions.add(condition);
        return this;
    }

    /** Returns a text as a literal. */
    static String literal(String text) {
        StringBuilder literal = new StringBuilder(text.length() + 2).append('\'');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\\', '\'' -> literal.append('\\').append(c);
                case '\0' -> literal.append("\\0");
                default -> literal.append(c);
            }
        }
        return literal.append('\'').toString();
    }

    @Override
    ClickHouseFilter equal(String column, @Nullable String text) {
        return text == null ? this : add(column + " = " + literal(text));
    }

    @Override
    ClickHouseFilter equal(String column, long value) {
        return add(column + " = " + value);
    }

    @Override
    ClickHouseFilter atLeast(String column, @Nullable Long value) {
        return value == null ? this : add(column + " >= " + value);
    }

    @Override
    ClickHouseFilter atMost(String expression, long value) {
        return add(expression + " <= " + value);
    }

    @Override
    ClickHouseFilter contains(String column, @Nullable String text) {
        return text == null || text.isEmpty()
                ? this
                : add("position(" + column + ", " + literal(text) + ") > 0");
    }

    @Override
    ClickHouseFilter within(String column, TimeRange range) {
        return add(column + " >= " + range.fromMicros()).add(column + " < " + range.toMicros());
    }

    @Override
    ClickHouseFilter anyOf(String column, List<String> texts) {
        return texts.isEmpty()
                ? this
                : add(column + " IN ("
                        + String.join(
                                ", ",
                                texts.stream().map(ClickHouseFilter::literal).toList())
                        + ")");
    }

    ClickHouseFilter before(RecordPosition position) {
        return add("(instant < " + position.atMicros() + " OR (instant = " + position.atMicros()
                + " AND key < " + position.key() + "))");
    }

    /** Adds the condition that a row counts. */
    ClickHouseFilter counted(String condition) {
        return add(condition);
    }

    String sql() {
        return String.join(" AND ", conditions);
    }
}
