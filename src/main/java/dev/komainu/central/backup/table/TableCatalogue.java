package dev.komainu.central.backup.table;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** The tables of a database's current schema, except Flyway's own one. Stateless. */
final class TableCatalogue {

    /** Flyway's table: the migrations of a database are its own, and are never copied. */
    static final String HISTORY = "flyway_schema_history";

    /** The table that only occupies room on PostgreSQL's disk, and has nothing to copy. */
    private static final String RESERVE = "room_reserve";

    private TableCatalogue() {}

    /** Returns all tables; each follows those that its rows refer to. */
    static List<TableShape> read(Connection connection) throws SQLException {
        DatabaseMetaData about = connection.getMetaData();
        Map<String, TableShape> tables = new TreeMap<>();
        try (ResultSet row = about.getTables(
                null, connection.getSchema(), "%", new String[] {"TABLE", "BASE TABLE"})) {
            while (row.next()) {
                String exact = row.getString("TABLE_NAME");
                if (!exact.equalsIgnoreCase(HISTORY) && !exact.equalsIgnoreCase(RESERVE)) {
                    TableShape table = read(connection, about, exact);
                    tables.put(table.name(), table);
                }
            }
        }
        return parentsFirst(tables);
    }

    private static TableShape read(Connection connection, DatabaseMetaData about, String exact)
            throws SQLException {
        List<TableShape.Column> columns = new ArrayList<>();
        // The name is a pattern in which _ stands for any character.
        try (ResultSet row = about.getColumns(null, connection.getSchema(), exact, "%")) {
            while (row.next()) {
                if (exact.equals(row.getString("TABLE_NAME"))) {
                    String name = row.getString("COLUMN_NAME");
                    int jdbc = row.getInt("DATA_TYPE");
                    columns.add(new TableShape.Column(
                            lower(name),
                            quoted(about, name),
                            ValueType.of(jdbc, row.getString("TYPE_NAME")),
                            jdbc,
                            "YES".equals(row.getString("IS_AUTOINCREMENT"))));
                }
            }
        }
        // Engines whose migrations differ have them in another order.
        columns.sort(Comparator.comparing(TableShape.Column::name));
        Set<String> parents = new HashSet<>();
        try (ResultSet row = about.getImportedKeys(null, connection.getSchema(), exact)) {
            while (row.next()) {
                parents.add(lower(row.getString("PKTABLE_NAME")));
            }
        }
        return new TableShape(lower(exact), exact, quoted(about, exact), columns, parents);
    }

    /** Returns the columns of each index of a table, as they stand in SQL. */
    static Collection<String> indices(Connection connection, TableShape table) throws SQLException {
        DatabaseMetaData about = connection.getMetaData();
        Map<String, String> columns = new TreeMap<>();
        try (ResultSet row =
                about.getIndexInfo(null, connection.getSchema(), table.exact(), false, true)) {
            while (row.next()) {
                String index = row.getString("INDEX_NAME");
                String column = row.getString("COLUMN_NAME");
                if (index != null && column != null) {
                    columns.merge(index, quoted(about, column), (a, b) -> a + ", " + b);
                }
            }
        }
        return columns.values();
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    static String quoted(DatabaseMetaData about, String name) throws SQLException {
        String quote = about.getIdentifierQuoteString();
        return quote + name.replace(quote, quote + quote) + quote;
    }

    private static List<TableShape> parentsFirst(Map<String, TableShape> tables) {
        Map<String, TableShape> ordered = new LinkedHashMap<>();
        while (ordered.size() < tables.size()) {
            int before = ordered.size();
            for (TableShape table : tables.values()) {
                if (ordered.keySet().containsAll(table.parents())) {
                    ordered.putIfAbsent(table.name(), table);
                }
            }
            if (ordered.size() == before) {
                Set<String> ring = new HashSet<>(tables.keySet());
                ring.removeAll(ordered.keySet());
                throw new UnsupportedOperationException("tables refer to each other in a ring: "
                        + ring.stream().sorted().toList());
            }
        }
        return ordered.values().stream().map(Objects::requireNonNull).toList();
    }
}
