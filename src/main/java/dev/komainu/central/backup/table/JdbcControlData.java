package dev.komainu.central.backup.table;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/** The control data in a database that JDBC reaches: H2 or PostgreSQL. Any thread. */
public final class JdbcControlData implements ControlData {

    /**
     * H2's number of the isolation level {@code SNAPSHOT}. Its repeatable read would show rows that
     * others add; that of PostgreSQL is a snapshot.
     */
    private static final int H2_SNAPSHOT = 6;

    private final DataSource source;

    public JdbcControlData(DataSource source) {
        this.source = source;
    }

    @Override
    public List<String> export(Sink sink) throws SQLException, IOException {
        try (Connection connection = source.getConnection()) {
            boolean isH2 = connection.getMetaData().getDatabaseProductName().equals("H2");
            int isolation = connection.getTransactionIsolation();
            connection.setTransactionIsolation(
                    isH2 ? H2_SNAPSHOT : Connection.TRANSACTION_REPEATABLE_READ);
            connection.setAutoCommit(false);
            try {
                List<String> versions = migrations(connection);
                for (TableShape table : TableCatalogue.read(connection)) {
                    TableSum sum;
                    try (OutputStream out = sink.open(table.name())) {
                        sum = TableRows.write(connection, table, out);
                    }
                    sink.written(table.name(), sum);
                }
                return versions;
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
                connection.setTransactionIsolation(isolation);
            }
        }
    }

    /** Reads every row of every table, and every index, to find out whether the database can. */
    public static void readAll(Connection connection) throws SQLException {
        try {
            for (TableShape table : TableCatalogue.read(connection)) {
                TableRows.write(connection, table, OutputStream.nullOutputStream());
                for (String columns : TableCatalogue.indices(connection, table)) {
                    readInOrder(connection, table, columns);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("nothing is written", e);
        }
    }

    /** Reads columns in their order, for which the database takes the index over them. */
    private static void readInOrder(Connection connection, TableShape table, String columns)
            throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select " + columns + " from " + table.quoted() + " order by " + columns)) {
            while (row.next()) {
                // only reads
            }
        }
    }

    /**
     * Returns the versions of the migrations that made the tables, in the order in which they ran.
     */
    public static List<String> migrations(Connection connection) throws SQLException {
        DatabaseMetaData about = connection.getMetaData();
        List<String> versions = new ArrayList<>();
        try (ResultSet history =
                about.getTables(null, connection.getSchema(), TableCatalogue.HISTORY, null)) {
            if (!history.next()) {
                return versions;
            }
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select "
                        + TableCatalogue.quoted(about, "version") + " from "
                        + TableCatalogue.quoted(about, TableCatalogue.HISTORY) + " where "
                        + TableCatalogue.quoted(about, "success") + " and "
                        + TableCatalogue.quoted(about, "version") + " is not null order by "
                        + TableCatalogue.quoted(about, "installed_rank"))) {
            while (row.next()) {
                versions.add(row.getString(1));
            }
        }
        return versions;
    }

    @Override
    public Map<String, TableSum> load(Iterable<String> tables, Source rows)
            throws SQLException, IOException {
        try (Connection connection = source.getConnection()) {
            List<TableShape> parentsFirst = TableCatalogue.read(connection);
            checkNames(tables, parentsFirst);
            Map<String, TableSum> sums = new LinkedHashMap<>();
            connection.setAutoCommit(false);
            try {
                List<TableShape> childrenFirst = new ArrayList<>(parentsFirst);
                Collections.reverse(childrenFirst);
                for (TableShape table : childrenFirst) {
                    execute(connection, "delete from " + table.quoted());
                }
                for (TableShape table : parentsFirst) {
                    try (InputStream in = rows.open(table.name())) {
                        sums.put(table.name(), TableRows.load(connection, table, in));
                    }
                }
                for (TableShape table : parentsFirst) {
                    countOn(connection, table);
                }
                connection.commit();
            } catch (SQLException | IOException | RuntimeException e) {
                connection.rollback();
                throw e;
            } finally {
                connection.setAutoCommit(true);
            }
            return sums;
        }
    }

    private static void checkNames(Iterable<String> given, List<TableShape> tables)
            throws IOException {
        Set<String> surplus = new HashSet<>();
        given.forEach(surplus::add);
        Set<String> missing = new HashSet<>();
        for (TableShape table : tables) {
            if (!surplus.remove(table.name())) {
                missing.add(table.name());
            }
        }
        if (!surplus.isEmpty() || !missing.isEmpty()) {
            throw new IOException("tables without a place: "
                    + surplus.stream().sorted().toList() + ", tables without rows: "
                    + missing.stream().sorted().toList() + " (expected: none)");
        }
    }

    /**
     * Lets the database count identities on from the largest one that was loaded. In PostgreSQL
     * this is part of the transaction; H2 commits before it.
     */
    private static void countOn(Connection connection, TableShape table) throws SQLException {
        for (TableShape.Column column : table.columns()) {
            if (column.identity()) {
                long next;
                try (Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery(
                                "select max(" + column.quoted() + ") from " + table.quoted())) {
                    row.next();
                    next = row.getLong(1) + 1; // 0 when there is no row
                }
                execute(
                        connection,
                        "alter table " + table.quoted() + " alter column " + column.quoted()
                                + " restart with " + next);
            }
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
