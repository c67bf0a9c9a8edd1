package dev.komainu.central.backup.table;

import java.io.IOException;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The type of a column, and the form of its values in JSON, the same for each database engine.
 *
 * <pre>
 *  type      in JSON
 *  text      string
 *  integer   number
 *  decimal   string, with all digits behind the point that the column has
 *  double    number; NaN and Infinity as strings
 *  boolean   true, false
 *  instant   string, ISO 8601 in UTC
 *  bytes     string, base64
 * </pre>
 */
enum ValueType {
    TEXT,
    INTEGER,
    DECIMAL,
    DOUBLE,
    BOOLEAN,
    INSTANT,
    BYTES;

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the type of a column.
     *
     * @param jdbc one of {@link Types}
     * @param name the engine's name of the type
     */
    static ValueType of(int jdbc, String name) {
        return switch (jdbc) {
            case Types.CHAR,
                    Types.VARCHAR,
                    Types.LONGVARCHAR,
                    Types.NCHAR,
                    Types.NVARCHAR,
                    Types.CLOB,
                    Types.NCLOB -> TEXT;
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> INTEGER;
            case Types.DECIMAL, Types.NUMERIC -> DECIMAL;
            case Types.REAL, Types.FLOAT, Types.DOUBLE -> DOUBLE;
            case Types.BOOLEAN, Types.BIT -> BOOLEAN;
            case Types.TIMESTAMP_WITH_TIMEZONE -> INSTANT;
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> BYTES;
            default -> {
                // PostgreSQL's driver gives both kinds of timestamps one number.
                if (jdbc == Types.TIMESTAMP && name.toLowerCase(Locale.ROOT).contains("tz")) {
                    yield INSTANT;
                }
                throw new UnsupportedOperationException(
                        "a column of the type " + name + " (expected: one of a migration)");
            }
        };
    }

    /** Reads a value of the current row for JSON. */
    @Nullable
    Object read(ResultSet row, int column) throws SQLException {
        Object value = switch (this) {
            case TEXT -> row.getString(column);
            case INTEGER -> row.getLong(column);
            case DECIMAL -> {
                BigDecimal number = row.getBigDecimal(column);
                yield number == null ? null : number.toPlainString();
            }
            case DOUBLE -> row.getDouble(column);
            case BOOLEAN -> row.getBoolean(column);
            case INSTANT -> {
                OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
                yield at == null ? null : at.toInstant().toString();
            }
            case BYTES -> {
                byte[] bytes = row.getBytes(column);
                yield bytes == null ? null : Base64.getEncoder().encodeToString(bytes);
            }
        };
        return row.wasNull() ? null : value;
    }

    /**
     * Sets a parameter to a value from JSON.
     *
     * @param jdbc the column's type, for a value that is absent
     * @throws IOException when the value is of another type
     */
    void write(PreparedStatement statement, int column, int jdbc, JsonNode value)
            throws SQLException, IOException {
        if (value.isNull()) {
            statement.setNull(column, jdbc);
            return;
        }
        try {
            switch (this) {
                case TEXT -> statement.setString(column, string(value));
                case INTEGER -> {
                    if (!value.canConvertToLong() || !value.isIntegralNumber()) {
                        throw wrong(value);
                    }
                    statement.setLong(column, value.asLong());
                }
                case DECIMAL -> statement.setBigDecimal(column, new BigDecimal(string(value)));
                case DOUBLE ->
                    statement.setDouble(
                            column,
                            value.isNumber()
                                    ? value.asDouble()
                                    : Double.parseDouble(string(value)));
                case BOOLEAN -> {
                    if (!value.isBoolean()) {
                        throw wrong(value);
                    }
                    statement.setBoolean(column, value.asBoolean());
                }
                case INSTANT ->
                    statement.setObject(
                            column, Instant.parse(string(value)).atOffset(ZoneOffset.UTC));
                case BYTES -> statement.setBytes(column, Base64.getDecoder().decode(string(value)));
            }
        } catch (IllegalArgumentException | DateTimeParseException e) {
            throw wrong(value);
        }
    }

    private String string(JsonNode value) throws IOException {
        if (!value.isString()) {
            throw wrong(value);
        }
        return value.asString();
    }

    /** The value itself may be a secret; only its kind is told. */
    private IOException wrong(JsonNode value) {
        return new IOException(value.getNodeType() + " (expected: " + text() + ")");
    }
}
