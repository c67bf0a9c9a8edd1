package dev.komainu.central.backup.table;

import dev.komainu.central.backup.table.TableShape.Column;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The rows of a table as JSON lines: first the columns with their types, then an array for each
 * row. Stateless.
 *
 * <pre>
 * {"table":"users","columns":[["name","text"],["role","text"]]}
 * ["admin","administrator"]
 * </pre>
 */
final class TableRows {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int FETCH = 500;
    private static final int BATCH = 50;

    private record Head(String table, List<List<String>> columns) {

        static Head of(TableShape table) {
            return new Head(
                    table.name(),
                    table.columns().stream()
                            .map(column -> List.of(column.name(), column.type().text()))
                            .toList());
        }
    }

    private TableRows() {}

    /** Writes all rows, within the transaction of the connection. */
    static TableSum write(Connection connection, TableShape table, OutputStream out)
            throws SQLException, IOException {
        line(out, JSON.writeValueAsBytes(Head.of(table)));
        RowAdder adder = new RowAdder();
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(FETCH);
            try (ResultSet row = statement.executeQuery(
                    "select " + table.columnList() + " from " + table.quoted())) {
                while (row.next()) {
                    List<@Nullable Object> values =
                            new ArrayList<>(table.columns().size());
                    for (int i = 0; i < table.columns().size(); i++) {
                        values.add(table.columns().get(i).type().read(row, i + 1));
                    }
                    byte[] text = JSON.writeValueAsBytes(values);
                    adder.add(text);
                    line(out, text);
                }
            }
        }
        return adder.sum();
    }

    private static void line(OutputStream out, byte[] text) throws IOException {
        out.write(text);
        out.write('\n');
    }

    /** Adds all rows to a table, within the transaction of the connection. */
    static TableSum load(Connection connection, TableShape table, InputStream in)
            throws SQLException, IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        String head = lines.readLine();
        if (head == null || !head.equals(JSON.writeValueAsString(Head.of(table)))) {
            throw new IOException("table " + table.name()
                    + ": other columns than the database has (expected: those of the same"
                    + " migrations)");
        }
        RowAdder adder = new RowAdder();
        try (PreparedStatement statement = connection.prepareStatement(insertion(table))) {
            int waiting = 0;
            long number = 1;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                try {
                    set(statement, table.columns(), line);
                } catch (IOException | JacksonException e) {
                    throw new IOException(
                            "table " + table.name() + ", line " + number + ": " + e.getMessage(),
                            e);
                }
                adder.add(line.getBytes(StandardCharsets.UTF_8));
                statement.addBatch();
                if (++waiting == BATCH) {
                    statement.executeBatch();
                    waiting = 0;
                }
            }
            if (waiting > 0) {
                statement.executeBatch();
            }
        }
        return adder.sum();
    }

    private static void set(PreparedStatement statement, List<Column> columns, String line)
            throws SQLException, IOException {
        JsonNode values = JSON.readTree(line);
        if (!values.isArray() || values.size() != columns.size()) {
            throw new IOException(
                    "not a row (expected: an array of " + columns.size() + " values)");
        }
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            try {
                column.type().write(statement, i + 1, column.jdbc(), values.get(i));
            } catch (IOException e) {
                throw new IOException("column " + column.name() + ": " + e.getMessage(), e);
            }
        }
    }

    private static String insertion(TableShape table) {
        return "insert into " + table.quoted() + " (" + table.columnList() + ")"
                // The database counts identities itself unless it is told otherwise.
                + (table.hasIdentity() ? " overriding system value" : "")
                + " values ("
                + table.columns().stream().map(column -> "?").collect(Collectors.joining(", "))
                + ")";
    }
}
