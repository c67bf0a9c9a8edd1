package dev.komainu.central.backup;

import dev.komainu.central.store.DayCopies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.util.FileSystemUtils;

/**
 * The check of a backup. First each file is compared with its hash. When all are as they were
 * written and can be read, the control data is loaded into a database of its own and every row of
 * every day is read. Stateless.
 */
public final class BackupVerification {

    private BackupVerification() {}

    /**
     * Checks a backup.
     *
     * @return what is wrong, a line for each part; nothing when it is in order
     */
    public static List<String> faults(FinishedBackup backup) throws IOException {
        List<String> faults = backup.faultsOfFiles();
        return faults.isEmpty() && backup.isReadable() ? faultsOfContents(backup) : faults;
    }

    private static List<String> faultsOfContents(FinishedBackup backup) throws IOException {
        Path temporary = Files.createTempDirectory("komainu-verify-"); // mode 700
        try {
            List<String> faults = new ArrayList<>();
            try {
                faults.addAll(backup.differences(new RestoredControl(
                                new DriverManagerDataSource(
                                        "jdbc:h2:file:" + temporary.resolve("control"),
                                        ControlFile.USER,
                                        ""),
                                temporary)
                        .load(backup)));
            } catch (IOException e) {
                faults.add(String.valueOf(e.getMessage()));
            }
            for (BackupPart part : backup.manifest().parts()) {
                if (!part.name().startsWith(BackupPart.CONTROL)) {
                    faults.addAll(faults(backup, part, temporary.resolve("part")));
                }
            }
            return faults;
        } finally {
            FileSystemUtils.deleteRecursively(temporary);
        }
    }

    private static List<String> faults(FinishedBackup backup, BackupPart part, Path clear)
            throws IOException {
        try {
            backup.copy(part, clear);
            return part.name().startsWith(BackupPart.TELEMETRY)
                    ? FinishedBackup.differences(part, DayCopies.read(clear))
                    : List.of();
        } catch (IOException e) {
            return List.of(part.name() + ": " + e.getMessage());
        } finally {
            Files.deleteIfExists(clear);
        }
    }
}
