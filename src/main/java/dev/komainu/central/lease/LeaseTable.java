package dev.komainu.central.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The lease in PostgreSQL, over one connection of its own. Times are the database's, so that the
 * clocks of the centres do not matter. Used by one thread.
 *
 * <p>{@link #fence} makes the database refuse every write of a connection whose epoch is over.
 * Connections without an epoch, as those of commands, are not refused.
 */
final class LeaseTable {

    /** Begin of the name under which PostgreSQL lists the connections of the holder. */
    private static final String HOLDER_CONNECTION = "komainu-central epoch ";

    /** The longest wait of this connection for a lock of the former holder. */
    private static final String LOCK_LIMIT = "set lock_timeout = '2s'";

    private static final String UNDEFINED_TABLE = "42P01";

    /**
     * The row that a centre writes when it takes the lease.
     *
     * @param holder its name
     * @param address where other centres reach it
     * @param secret what they show to it
     */
    record Claim(String holder, String address, String secret) {}

    private LeaseTable() {}

    /**
     * Returns the statements with which each connection of a holder begins.
     *
     * @param epoch epoch of the holder
     */
    static String connectionBegin(long epoch) {
        return "set komainu.epoch = '" + epoch + "'; set application_name = '" + HOLDER_CONNECTION
                + epoch + "'; set idle_in_transaction_session_timeout = '10s'";
    }

    /** Reports whether the schema is there. */
    static boolean isThere(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select to_regclass('lease') is not null")) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** Returns the lease; never taken when the schema is not there yet. */
    static Lease read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select epoch, holder, address, secret, ends > clock_timestamp() from lease where name = 'judge'")) {
            if (!row.next()) {
                throw new SQLException("The table lease has no row", "02000");
            }
            return new Lease(
                    row.getLong(1),
                    row.getString(2),
                    row.getString(3),
                    row.getString(4),
                    row.getBoolean(5));
        } catch (SQLException e) {
            if (UNDEFINED_TABLE.equals(e.getSQLState())) {
                return Lease.NONE;
            }
            throw e;
        }
    }

    /**
     * Takes the lease when it has ended, or when this holder had it: a centre that starts again
     * need not wait for its own lease. Connections of the former holder are ended.
     *
     * @return the new epoch; empty while another one holds it
     */
    static OptionalLong take(Connection connection, Claim claim, Duration time)
            throws SQLException {
        connection.setAutoCommit(false);
        try {
            OptionalLong epoch = taken(connection, claim, time);
            connection.commit();
            return epoch;
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static OptionalLong taken(Connection connection, Claim claim, Duration time)
            throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(LOCK_LIMIT);
            // A transaction of the former holder that has not ended locks the row.
            statement.execute("select pg_terminate_backend(pid) from pg_stat_activity where"
                    + " application_name like '" + HOLDER_CONNECTION
                    + "%' and pid <> pg_backend_pid()"
                    + " and exists (select 1 from lease where name = 'judge' and (ends < clock_timestamp()"
                    + " or holder = " + quoted(claim.holder()) + "))");
            statement.execute("select 1 from lease where name = 'judge' for update");
        }
        try (PreparedStatement update = connection.prepareStatement(
                "update lease set epoch = epoch + 1, holder = ?, address = ?, secret = ?,"
                        + " ends = clock_timestamp() + ? * interval '1 millisecond' where name = 'judge'"
                        + " and (ends < clock_timestamp() or holder = ?) returning epoch")) {
            update.setString(1, claim.holder());
            update.setString(2, claim.address());
            update.setString(3, claim.secret());
            update.setLong(4, time.toMillis());
            update.setString(5, claim.holder());
            try (ResultSet row = update.executeQuery()) {
                return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
            }
        }
    }

    /** Returns a text as an SQL literal. */
    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /**
     * Renews the lease, also one that has ended if no other centre took it.
     *
     * @return false when another epoch began
     */
    static boolean renew(Connection connection, long epoch, Duration time) throws SQLException {
        // Changes no key, so it does not wait for the locks of the fence.
        try (PreparedStatement update = connection.prepareStatement(
                "update lease set ends = clock_timestamp() + ? * interval '1 millisecond'"
                        + " where name = 'judge' and epoch = ?")) {
            update.setLong(1, time.toMillis());
            update.setLong(2, epoch);
            return update.executeUpdate() == 1;
        }
    }

    /** Ends the lease of an epoch at once, so that another centre need not wait. */
    static void release(Connection connection, long epoch) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "update lease set ends = clock_timestamp() where name = 'judge' and epoch = ?")) {
            update.setLong(1, epoch);
            update.executeUpdate();
        }
    }

    /**
     * Puts the fence before every table but the lease itself and Flyway's. Repeatable; by the
     * holder, after the schema was migrated.
     */
    static void fence(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // Fully within one statement's snapshot: the row is read again after a lock was waited
            // for. A key share lock holds up a take-over, which locks for update, until this
            // transaction ends; it does not hold up a renewal.
            statement.execute("""
                    create or replace function refuse_older_epoch() returns trigger language plpgsql as $$
                    declare
                        mine text := current_setting('komainu.epoch', true);
                        newest bigint;
                    begin
                        if mine <> '' then
                            select epoch into newest from lease where name = 'judge' for key share;
                            if mine::bigint <> newest then
                                raise exception 'epoch % is over, the epoch is %', mine, newest using errcode = '%s';
                            end if;
                        end if;
                        return null;
                    end
                    $$""".replace("%s", LeaseKeeper.OLDER_EPOCH));
            for (String table : tables(connection)) {
                statement.execute(
                        "create or replace trigger fence before insert or update or delete on "
                                + table
                                + " for each statement execute function refuse_older_epoch()");
            }
        }
    }

    private static List<String> tables(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select quote_ident(table_name) from information_schema.tables where table_schema = current_schema()"
                                + " and table_type = 'BASE TABLE' and table_name not in ('lease', 'flyway_schema_history')"
                                + " order by 1")) {
            List<String> tables = new ArrayList<>();
            while (rows.next()) {
                tables.add(rows.getString(1));
            }
            return tables;
        }
    }
}
