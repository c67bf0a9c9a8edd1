package dev.komainu.central.store;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

/** The rows of a day file that no store has open. Stateless. */
final class DayFileRows {

    private DayFileRows() {}

    /** Reads every column of every row, and returns the number of rows of each table. */
    static Map<String, Long> read(Path file) throws IOException {
        try (Connection root = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = root.createStatement()) {
            statement.execute("SET memory_limit='96MiB'");
            statement.execute("SET threads=1");
            statement.execute("SET autoinstall_known_extensions=false");
            statement.execute("SET autoload_known_extensions=false");
            statement.execute("ATTACH '" + DayFiles.literal(file) + "' AS checked (READ_ONLY)");
            Map<String, Long> rows = new TreeMap<>();
            try (ResultSet table = statement.executeQuery(
                    "SELECT table_name FROM duckdb_tables() WHERE database_name = 'checked'")) {
                while (table.next()) {
                    rows.put(table.getString(1), 0L);
                }
            }
            for (Map.Entry<String, Long> table : rows.entrySet()) {
                // The hash makes DuckDB read every column, not only the number of rows.
                try (ResultSet row = statement.executeQuery(
                        "SELECT count(*), bit_xor(hash(COLUMNS(*))) FROM checked."
                                + table.getKey())) {
                    row.next();
                    table.setValue(row.getLong(1));
                }
            }
            return rows;
        } catch (SQLException e) {
            throw new IOException(
                    file.getFileName() + ": DuckDB cannot read it: " + e.getMessage(), e);
        }
    }
}
