package dev.komainu.central.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The rows of a day file, or of a file of roll-ups, that no store has open. Stateless. */
final class DayFileRows {

    /** The first bytes of every Parquet file. */
    private static final byte[] PARQUET = {'P', 'A', 'R', '1'};

    private DayFileRows() {}

    /** Reads every column of every row, and returns the number of rows of each table. */
    static Map<String, Long> read(Path file) throws IOException {
        try (Connection root = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = root.createStatement()) {
            statement.execute("SET memory_limit='96MiB'");
            statement.execute("SET threads=1");
            statement.execute("SET autoinstall_known_extensions=false");
            statement.execute("SET autoload_known_extensions=false");
            Map<String, Long> rows = new TreeMap<>();
            if (isParquet(file)) {
                rows.put(
                        DayCopies.ROLL_UPS,
                        count(statement, "read_parquet('" + DayFiles.literal(file) + "')"));
                return rows;
            }
            statement.execute("ATTACH '" + DayFiles.literal(file) + "' AS checked (READ_ONLY)");
            try (ResultSet table = statement.executeQuery(
                    "SELECT table_name FROM duckdb_tables() WHERE database_name = 'checked'")) {
                while (table.next()) {
                    rows.put(table.getString(1), 0L);
                }
            }
            for (Map.Entry<String, Long> table : rows.entrySet()) {
                table.setValue(count(statement, "checked." + table.getKey()));
            }
            return rows;
        } catch (SQLException e) {
            throw new IOException(
                    file.getFileName() + ": DuckDB cannot read it: " + e.getMessage(), e);
        }
    }

    private static long count(Statement statement, String table) throws SQLException {
        // The hash makes DuckDB read every column, not only the number of rows.
        try (ResultSet row = statement.executeQuery(
                "SELECT count(*), bit_xor(hash(COLUMNS(*))) FROM " + table)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static boolean isParquet(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return Arrays.equals(in.readNBytes(PARQUET.length), PARQUET);
        }
    }
}
