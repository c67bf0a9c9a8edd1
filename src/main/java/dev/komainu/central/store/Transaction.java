package dev.komainu.central.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Runs work in one explicit transaction: all of it is there afterwards, or nothing. */
final class Transaction {

    /** The work; its own failure rolls back. */
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
