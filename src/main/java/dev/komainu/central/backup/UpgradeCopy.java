package dev.komainu.central.backup;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copy of the H2 file before a newer version changes its tables: the way back to the version
 * before, which cannot read them. Stateless.
 */
final class UpgradeCopy {

    /** Number of these copies that are kept. */
    static final int KEPT = 2;

    private static final Logger LOG = LoggerFactory.getLogger(UpgradeCopy.class);
    private static final String BEGIN = "before-upgrade-";
    private static final String END = ".mv.db";

    private UpgradeCopy() {}

    /**
     * Copies the file when this version has migrations that it lacks.
     *
     * @param file the file of a database that is closed
     * @param applied versions of the migrations that made its tables; none: it is new
     * @param known versions of the migrations of this version
     * @param millis time of the copy, for its name
     */
    static void makeIfDue(
            Path file, Collection<String> applied, Collection<String> known, long millis)
            throws IOException {
        if (applied.isEmpty() || applied.containsAll(known)) {
            return;
        }
        Path directory = file.resolveSibling(ControlCopies.DIRECTORY);
        PrivateFiles.directory(directory);
        Path copy = directory.resolve(BEGIN + millis + END);
        Path fresh = copy.resolveSibling(copy.getFileName() + ".new");
        Files.copy(file, fresh, StandardCopyOption.REPLACE_EXISTING);
        PrivateFiles.narrow(fresh);
        try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(fresh, copy, StandardCopyOption.ATOMIC_MOVE);
        LOG.info("Control data: copied to {} before the upgrade of its tables", copy);
        for (Path old : newestFirst(directory).stream().skip(KEPT).toList()) {
            Files.deleteIfExists(old);
        }
    }

    static List<Path> newestFirst(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> {
                        String name = file.getFileName().toString();
                        return name.startsWith(BEGIN) && name.endsWith(END);
                    })
                    .sorted(Comparator.comparing(
                                    (Path file) -> file.getFileName().toString())
                            .reversed())
                    .toList();
        }
    }
}
