package dev.komainu.central.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** An explicit transaction: all of its work is committed, or none of it. */
final class Transaction {

    /** The work of a transaction; an exception rolls it back. */
    @FunctionalInterface
    interface Work {
        void run() throws SQLException;
    }

    private Transaction() {}

    static void run(Connection connection, Work work) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("BEGIN TRANSACTION");
            try {
                work.run();
                statement.execute("COMMIT");
            } catch (SQLException | RuntimeException e) {
                try {
                    statement.execute("ROLLBACK");
                } catch (SQLException again) {
                    e.addSuppressed(again);
                }
                throw e;
            }
        }
    }
}
