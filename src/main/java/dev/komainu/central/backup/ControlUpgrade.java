package dev.komainu.central.backup;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The upgrade of the H2 file at the start. H2 commits each change of a table by itself, so a
 * migration that is cut in the middle by a kill cannot be repeated. The migrations therefore run in
 * a copy, which takes the place of the file when all of them are done. After a kill the file is as
 * it was, and the next start begins again. Stateless.
 */
final class ControlUpgrade {

    /** Database that is a copy of the file, while it is upgraded. */
    static final String COPIED = "control-upgraded";

    private ControlUpgrade() {}

    /**
     * Runs migrations. A file that another process uses stays as it is; its opening then tells why.
     *
     * @param data directory of the file, which may be empty or missing
     * @param migrations runs the migrations that a database lacks
     */
    static void run(Path data, Consumer<DataSource> migrations) throws IOException {
        Path file = data.resolve(ControlFile.NAME);
        Path copy = data.resolve(COPIED + ".mv.db");
        // Locked until the copy has taken its place: a second service must not open it meanwhile.
        try (FileChannel original = PrivateFiles.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
                FileLock lock = original.tryLock()) {
            if (lock == null) {
                return;
            }
            Files.deleteIfExists(copy);
            try (FileChannel fresh = PrivateFiles.open(
                    copy, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                Channels.newInputStream(original).transferTo(Channels.newOutputStream(fresh));
            }
            migrate(data, migrations);
            try (FileChannel upgraded = FileChannel.open(copy, StandardOpenOption.WRITE)) {
                upgraded.force(true);
            }
            Files.move(
                    copy,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            // Later changes are forced into the new file; its name must be there as well.
            PrivateFiles.forceNames(file);
        } catch (OverlappingFileLockException e) {
            // in use by this process
        } finally {
            Files.deleteIfExists(copy);
            Files.deleteIfExists(data.resolve(COPIED + ".trace.db"));
        }
    }

    private static void migrate(Path data, Consumer<DataSource> migrations) throws IOException {
        DataSource source = new DriverManagerDataSource(
                "jdbc:h2:file:" + data.resolve(COPIED) + ";DB_CLOSE_ON_EXIT=FALSE",
                ControlFile.USER,
                "");
        // One connection is open all the time: H2 closes a database with its last one.
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            migrations.accept(source);
            statement.execute("shutdown");
        } catch (SQLException e) {
            throw new IOException(
                    data.resolve(ControlFile.NAME) + ": not upgraded: " + e.getMessage(), e);
        }
    }
}
