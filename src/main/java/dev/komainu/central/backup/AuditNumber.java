package dev.komainu.central.backup;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The number of the newest audit entry. It only grows, so a database with a smaller one than before
 * has lost its end: H2 opens a file that was cut off in an earlier state, without a word.
 */
final class AuditNumber {

    private AuditNumber() {}

    /** Returns the number; 0 in a database without an audit log. */
    static long of(Connection connection) throws SQLException {
        boolean isThere = false;
        try (ResultSet table =
                connection.getMetaData().getTables(null, connection.getSchema(), "%", null)) {
            while (table.next()) {
                isThere |= table.getString("TABLE_NAME").equalsIgnoreCase("audit_chain");
            }
        }
        if (!isThere) {
            return 0;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select sequence from audit_chain")) {
            return row.next() ? row.getLong(1) : 0;
        }
    }
}
