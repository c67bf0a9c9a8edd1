package dev.komainu.central.backup;

import dev.komainu.central.backup.table.TableSum;
import dev.komainu.central.store.DayCopies;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The restore of a backup into an empty data directory. While it runs a file marks the directory,
 * and no service starts there. One thread.
 */
public final class Restore {

    private final FinishedBackup backup;
    private final Path data;
    private final Consumer<String> progress;

    /**
     * Creates the restore.
     *
     * @param data directory that does not exist, or is empty
     * @param progress receives a line for each step
     */
    public Restore(FinishedBackup backup, Path data, Consumer<String> progress) {
        this.backup = backup;
        this.data = data;
        this.progress = progress;
    }

    /**
     * Restores the backup, and compares what it wrote with the manifest.
     *
     * @throws IOException naming what was wrong and expected; the directory must then be emptied
     *     before the next attempt
     */
    public void run() throws IOException {
        if (!backup.isReadable()) {
            throw new IOException("encrypted (expected: --passphrase-file)");
        }
        if (Files.exists(data) && !isEmpty(data)) {
            throw new IOException(data + ": not empty (expected: a directory that does not exist,"
                    + " or is empty)");
        }
        progress.accept("comparing all files with their hashes");
        refuse(backup.faultsOfFiles());
        PrivateFiles.directory(data);
        Path unfinished = data.resolve(ControlFile.UNFINISHED);
        PrivateFiles.replace(unfinished, new byte[0]);
        progress.accept("loading the control data");
        Map<String, TableSum> loaded = new RestoredControl(
                        new DriverManagerDataSource(
                                "jdbc:h2:file:" + data.resolve("control"), ControlFile.USER, ""),
                        data)
                .load(backup);
        refuse(backup.differences(loaded));
        PrivateFiles.narrow(data.resolve(ControlFile.NAME));
        List<String> faults = new ArrayList<>();
        for (BackupPart part : backup.manifest().parts()) {
            if (!part.name().startsWith(BackupPart.CONTROL)) {
                progress.accept(part.name());
                faults.addAll(restore(part));
            }
        }
        refuse(faults);
        Files.delete(unfinished);
    }

    private List<String> restore(BackupPart part) throws IOException {
        boolean isDay = part.name().startsWith(BackupPart.TELEMETRY);
        // Telemetry keeps its folder; the other files lie in the data directory itself.
        Path file = data.resolve(
                isDay ? part.name() : part.name().substring(BackupPart.FILES.length()));
        PrivateFiles.parentOf(file);
        backup.copy(part, file);
        PrivateFiles.narrow(file);
        return isDay ? FinishedBackup.differences(part, DayCopies.read(file)) : List.of();
    }

    private static void refuse(List<String> faults) throws IOException {
        if (!faults.isEmpty()) {
            throw new IOException(String.join("\n", faults));
        }
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.findAny().isEmpty();
        }
    }
}
