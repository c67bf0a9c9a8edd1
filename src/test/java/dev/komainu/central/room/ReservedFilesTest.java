package dev.komainu.central.room;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.SmallDisk;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.h2.store.fs.FilePath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** H2 on a full disk: it goes on with the reserve, and without it waits for room. */
class ReservedFilesTest {

    private static final int MEGABYTES = 24;
    private static final long RESERVE = 4 << 20;
    private static final int ROW = 100_000;
    /** Rows that a full disk keeps back; their chunks take some of the free room, too. */
    private static final int MORE = 40;

    @TempDir
    Path directory;

    @Test
    void fullDisk_h2GoesOnWithTheReserve_thenWaitsForRoom_andIsNeverClosed() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(directory.resolve("disk"), MEGABYTES)) {
            Reserve reserve = new Reserve(disk.root(), RESERVE);
            reserve.take();
            assertThat(disk.free()).isLessThanOrEqualTo((MEGABYTES << 20) - RESERVE);
            ReservedFiles.use(disk.root(), reserve);
            try (Connection connection = open(disk.root())) {
                execute(connection, "create table row_of (id int primary key, text varchar)");
                insert(connection, 0);
                disk.fill();

                int rows = 1;
                for (; reserve.isHeld(); rows++) {
                    insert(connection, rows);
                }
                assertThat(reserve.givenBack()).isEqualTo(1);
                insert(connection, rows++);

                disk.fill();
                int first = rows;
                CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> {
                    int next = first;
                    while (next < first + MORE) {
                        insert(connection, next++);
                    }
                    return next;
                });
                Awaitility.await("writes wait")
                        .until(() -> Thread.getAllStackTraces().values().stream()
                                .flatMap(Arrays::stream)
                                .anyMatch(frame -> frame.getMethodName().equals("pause")
                                        && frame.getClassName().contains("ReservedFiles")));
                assertThat(waiting).isNotDone();

                disk.empty();
                rows = waiting.get();
                reserve.take();
                assertThat(reserve.isHeld()).isTrue();
                assertThat(count(connection)).isEqualTo(rows);
            }
            try (Connection connection = open(disk.root())) {
                assertThat(count(connection)).isGreaterThan(MORE);
            }
            assertThat(FilePath.get("reserve:" + disk.root()).exists()).isTrue();
        }
    }

    private static Connection open(Path directory) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:h2:" + ReservedFiles.scheme() + ":" + directory.resolve("control")
                        + ";WRITE_DELAY=0",
                "komainu",
                "");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void insert(Connection connection, int id) {
        byte[] text = new byte[ROW / 2];
        new Random(id).nextBytes(text);
        try {
            execute(
                    connection,
                    "insert into row_of values (" + id + ", '" + HexFormat.of().formatHex(text)
                            + "')");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int count(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select count(*) from row_of")) {
            row.next();
            return row.getInt(1);
        }
    }
}
