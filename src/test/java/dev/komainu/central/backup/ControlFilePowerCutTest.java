package dev.komainu.central.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.control.ControlDataSettings;
import dev.komainu.telemetry.kit.DiskHistory;
import dev.komainu.telemetry.kit.PowerCuts;
import dev.komainu.telemetry.kit.RecordedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loss of power while control data are changed on H2: the file is in order for the check at the
 * start, each committed transaction is in it as a whole, and no other than the one under way.
 */
class ControlFilePowerCutTest {

    private static final int SESSIONS = 3;
    private static final int OF_SESSION = 40;
    private static final int ROWS = 3;

    /** H2's codes of a table that does not exist, in a database with others or without any. */
    private static final Set<Integer> NO_TABLE = Set.of(42102, 42104);

    @TempDir
    Path work;

    @Test
    void powerLoss_atAnyInstant_keepsEachCommittedTransaction() throws Exception {
        PowerCuts cuts = new PowerCuts(record(), work);
        cuts.check(ControlFilePowerCutTest::check);
        cuts.checkFindsForgetfulDisk(ControlFilePowerCutTest::check);
    }

    private DiskHistory record() throws Exception {
        try (RecordedDisk disk = RecordedDisk.mount(work)) {
            int transaction = 0;
            for (int session = 0; session < SESSIONS; session++) {
                try (Connection connection = open(disk.root())) {
                    if (session == 0) {
                        create(connection);
                        disk.acknowledge("created");
                    }
                    connection.setAutoCommit(false);
                    for (int i = 0; i < OF_SESSION; i++) {
                        transaction++;
                        change(connection, transaction);
                        connection.commit();
                        disk.acknowledge("committed " + transaction);
                    }
                }
            }
            return disk.history();
        }
    }

    private static Connection open(Path data) throws SQLException {
        String url = (String) new ControlDataSettings(null, ControlFile.USER, "")
                .spring(data)
                .get("spring.datasource.url");
        return DriverManager.getConnection(url, ControlFile.USER, "");
    }

    private static void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "create table row_of (id int primary key, name varchar(100), note clob)");
            statement.execute("create index row_by_name on row_of (name)");
            statement.execute("create table audit_chain (sequence bigint)");
            statement.execute("insert into audit_chain values (7)");
        }
    }

    /** Adds some rows, changes one of an earlier transaction, and removes one. */
    private static void change(Connection connection, int transaction) throws SQLException {
        try (PreparedStatement insert =
                        connection.prepareStatement("insert into row_of values (?, ?, ?)");
                Statement statement = connection.createStatement()) {
            for (int row = 0; row < ROWS; row++) {
                int id = transaction * ROWS + row;
                insert.setInt(1, id);
                insert.setString(2, "row " + id);
                insert.setString(3, note(id));
                insert.executeUpdate();
            }
            statement.executeUpdate(
                    "update row_of set name = 'changed' where id = " + (transaction - 5) * ROWS);
            statement.executeUpdate(
                    "delete from row_of where id = " + ((transaction - 9) * ROWS + 1));
        }
    }

    private static String note(int id) {
        return ("note " + id + " ").repeat(1 + id % 7 * 40);
    }

    private static TreeMap<Integer, String> after(int transactions) {
        TreeMap<Integer, String> rows = new TreeMap<>();
        for (int each = 1; each <= transactions; each++) {
            for (int row = 0; row < ROWS; row++) {
                int id = each * ROWS + row;
                rows.put(id, "row " + id + note(id));
            }
            int changed = (each - 5) * ROWS;
            rows.computeIfPresent(changed, (id, before) -> "changed" + note(id));
            rows.remove((each - 9) * ROWS + 1);
        }
        return rows;
    }

    private static void check(Path disk, List<String> acknowledged)
            throws IOException, SQLException {
        assertThat(ControlFile.check(disk, Clock.systemUTC())).as("mended").isEmpty();
        int committed = Math.max(0, acknowledged.size() - 1);
        TreeMap<Integer, String> found = new TreeMap<>();
        try (Connection connection = open(disk);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select id, name, note from row_of")) {
            while (row.next()) {
                found.put(row.getInt(1), row.getString(2) + row.getString(3));
            }
        } catch (SQLException e) {
            // The table was not created yet.
            if (!acknowledged.isEmpty() || !NO_TABLE.contains(e.getErrorCode())) {
                throw e;
            }
            return;
        }
        assertThat(found.equals(after(committed)) || found.equals(after(committed + 1)))
                .as(
                        "%d rows after %d transactions, newest %s",
                        found.size(), committed, found.isEmpty() ? 0 : found.lastKey() / ROWS)
                .isTrue();
    }
}
