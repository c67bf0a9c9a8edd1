package dev.komainu.central.backup.table;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A table of a database.
 *
 * @param name its name in lower case, as files name it
 * @param exact its name as the database has it
 * @param quoted its name in SQL
 * @param columns its columns by name
 * @param parents names of the tables that its rows refer to
 */
record TableShape(
        String name, String exact, String quoted, List<Column> columns, Set<String> parents) {

    /**
     * A column.
     *
     * @param name in lower case
     * @param quoted its name in SQL
     * @param jdbc its type in {@link java.sql.Types}
     * @param identity whether the database counts its values itself
     */
    record Column(String name, String quoted, ValueType type, int jdbc, boolean identity) {}

    TableShape {
        columns = List.copyOf(columns);
        parents = Set.copyOf(parents);
    }

    String columnList() {
        return columns.stream().map(Column::quoted).collect(Collectors.joining(", "));
    }

    boolean hasIdentity() {
        return columns.stream().anyMatch(Column::identity);
    }
}
