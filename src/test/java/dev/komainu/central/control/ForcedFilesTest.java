package dev.komainu.central.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.h2.store.fs.FilePath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Interrupts of threads that use H2's file: neither the database nor its lock is lost. */
class ForcedFilesTest {

    private static final int COMMITS = 50;

    @TempDir
    Path directory;

    private String url() {
        return "jdbc:h2:" + ForcedFiles.scheme() + ":" + directory.resolve("control")
                + ";WRITE_DELAY=0;DB_CLOSE_DELAY=-1";
    }

    @Test
    void threadIsInterruptedWhenItCommits_databaseStaysOpenForAll_andThreadStaysInterrupted()
            throws Exception {
        try (Connection connection = DriverManager.getConnection(url());
                ExecutorService threads = Executors.newCachedThreadPool()) {
            execute(connection, "create table item (id int primary key)");
            Future<Boolean> interrupted = threads.submit(() -> {
                boolean always = true;
                for (int i = 0; i < COMMITS; i++) {
                    Thread.currentThread().interrupt();
                    insert(i);
                    always &= Thread.interrupted();
                }
                return always;
            });
            Future<?> other = threads.submit(() -> {
                for (int i = 0; i < COMMITS; i++) {
                    insert(1_000 + i);
                }
                return true;
            });

            assertThat(interrupted.get()).isTrue();
            other.get();
            assertThat(count(connection)).isEqualTo(2 * COMMITS);
            execute(connection, "shutdown");
        }
        try (Connection again = DriverManager.getConnection(url())) {
            assertThat(count(again)).isEqualTo(2 * COMMITS);
            execute(again, "shutdown");
        }
    }

    /** An interrupt that comes in the middle of a call closes the JDK's channel. */
    @Test
    void channelIsClosedByAnInterrupt_opensAgainWithItsLock_andIsNotOpenAfterItsEnd()
            throws Exception {
        FilePath file = FilePath.get("file:" + directory.resolve("some.mv.db"));
        FileChannel[] opened = new FileChannel[1];
        UninterruptedChannel channel = new UninterruptedChannel(() -> opened[0] = file.open("rw"));
        FileLock lock = channel.tryLock();
        assertThat(lock).isNotNull();
        FileChannel first = opened[0];
        first.close();

        assertThat(channel.size()).isZero();

        assertThat(opened[0]).isNotSameAs(first);
        assertThat(lock.isValid()).isTrue();
        lock.release();
        channel.close();
        assertThat(opened[0].isOpen()).isFalse();
        assertThat(channel.isOpen()).isFalse();
    }

    private void insert(int id) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url())) {
            execute(connection, "insert into item values (" + id + ")");
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int count(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select count(*) from item")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
