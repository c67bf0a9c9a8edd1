package dev.komainu.central.backup;

import dev.komainu.central.backup.table.JdbcControlData;
import dev.komainu.central.backup.table.TableSum;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.springframework.core.io.Resource;
import org.springframework.util.FileSystemUtils;

/**
 * An empty database that receives the control data of a backup. It gets exactly the migrations that
 * made the backup's tables; the next start of the service adds those that are newer. One thread.
 */
final class RestoredControl {

    private final DataSource source;
    private final Path temporary;

    /**
     * Creates the database's filling.
     *
     * @param temporary directory for the migrations
     */
    RestoredControl(DataSource source, Path temporary) {
        this.source = source;
        this.temporary = temporary.resolve("migrations");
    }

    /**
     * Creates the tables and loads their rows.
     *
     * @return the sum of each table as it was loaded
     * @throws IOException when a newer service made the backup, or a part cannot be read
     */
    Map<String, TableSum> load(FinishedBackup backup) throws IOException {
        migrate(backup.manifest().migrations());
        Map<String, BackupPart> parts = backup.controlParts();
        try {
            return new JdbcControlData(source)
                    .load(
                            parts.keySet(),
                            table -> backup.open(Objects.requireNonNull(parts.get(table))));
        } catch (SQLException e) {
            throw new IOException("control data: " + e.getMessage(), e);
        }
    }

    private void migrate(List<String> versions) throws IOException {
        Map<String, Resource> known = H2Migrations.all();
        Set<String> unknown = new TreeSet<>(versions);
        unknown.removeAll(known.keySet());
        if (!unknown.isEmpty()) {
            throw new IOException("control data: the migrations " + unknown
                    + " are not known (expected: a Komainu that is not older than the one that"
                    + " made the backup)");
        }
        PrivateFiles.directory(temporary);
        try {
            Set<String> needed = new TreeSet<>(versions);
            needed.addAll(H2Migrations.base().keySet());
            for (String version : needed) {
                Resource migration = Objects.requireNonNull(known.get(version));
                try (InputStream in = migration.getInputStream()) {
                    Files.copy(
                            in, temporary.resolve(Objects.requireNonNull(migration.getFilename())));
                }
            }
            Flyway.configure()
                    .dataSource(source)
                    .locations("filesystem:" + temporary.toAbsolutePath())
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw new IOException("control data: no tables: " + e.getMessage(), e);
        } finally {
            FileSystemUtils.deleteRecursively(temporary);
        }
    }
}
