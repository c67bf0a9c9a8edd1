package dev.komainu.central.backup;

import dev.komainu.central.backup.BackupTarget.OpenPart;
import dev.komainu.central.backup.table.ControlData;
import dev.komainu.central.backup.table.TableSum;
import dev.komainu.central.store.DayCopies;
import dev.komainu.central.store.StoreException;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One backup, from the first part to the manifest.
 *
 * <p>The order makes it consistent. Control data refers to telemetry (an alert to a window, a
 * diagnosis to a connection), never the reverse. So the control data is copied first, as of one
 * instant, and the newest day after it: what the control data refers to is in the backup, unless
 * retention had deleted it. Within the control data no row refers to a missing one, because all
 * tables are read in one transaction.
 *
 * <p>Days that nothing is written to any more take most of the time and come before both. Each is
 * compared with its mark again at the end.
 *
 * <p>One thread. What fails, or breaks it off, leaves parts with which the next attempt goes on.
 */
final class BackupWork {

    private static final int BUFFER = 1 << 16;
    private static final String SETTINGS = BackupPart.FILES + "settings.yml";

    private final Installation installation;
    private final BackupTarget target;
    private final Clock clock;
    private final Consumer<BackupStage> progress;
    private final Set<String> current = new HashSet<>();

    /**
     * Creates the work.
     *
     * @param progress is told each step as it begins
     */
    BackupWork(
            Installation installation,
            BackupTarget target,
            Clock clock,
            Consumer<BackupStage> progress) {
        this.installation = installation;
        this.target = target;
        this.clock = clock;
        this.progress = progress;
    }

    /**
     * Writes the backup.
     *
     * @throws IOException when a part cannot be read or written; the directory then holds an
     *     unfinished backup
     */
    Manifest run() throws IOException {
        progress.accept(BackupStage.EARLIER_DAYS);
        target.checkParts();
        for (LocalDate day : installation.days().days()) {
            copySettled(day);
        }
        progress.accept(BackupStage.CONTROL);
        Instant control = clock.instant();
        List<String> migrations = copyControl();
        progress.accept(BackupStage.FILES);
        copyFiles();
        progress.accept(BackupStage.NEWEST_DAYS);
        Instant telemetry = clock.instant();
        copyUnsettled();
        copyRollUps();
        progress.accept(BackupStage.MANIFEST);
        target.retain(current);
        Manifest manifest = new Manifest(
                Manifest.FORMAT,
                installation.product(),
                target.begun(),
                control,
                telemetry,
                migrations,
                target.encryption(),
                installation.missing(),
                target.parts());
        target.finish(manifest);
        return manifest;
    }

    private static String name(LocalDate day) {
        return BackupPart.TELEMETRY + day + BackupPart.DAY;
    }

    /** Returns the mark of a settled day; empty also for a day that was deleted meanwhile. */
    private Optional<String> mark(LocalDate day) {
        try {
            return installation.days().settled(day);
        } catch (StoreException e) {
            return Optional.empty();
        }
    }

    /**
     * Copies the file of a settled day, unless an earlier attempt did. The end of the reading
     * releases DuckDB's own lock on the file (POSIX); the lock of the store's directory stays.
     */
    private void copySettled(LocalDate day) throws IOException {
        Optional<String> mark = mark(day);
        if (mark.isEmpty()) {
            return;
        }
        String name = name(day);
        if (target.mark(name).equals(mark)) {
            current.add(name);
            return;
        }
        try (OpenPart part = target.write(name)) {
            copy(installation.days().file(day), part.out());
            if (mark(day).equals(mark)) {
                part.keep(mark.get(), contents(installation.days().rows(day)));
                current.add(name);
            }
        } catch (StoreException e) {
            // Retention deleted it.
        }
    }

    private void copyUnsettled() throws IOException {
        for (LocalDate day : installation.days().days()) {
            Optional<String> kept = target.mark(name(day));
            Optional<String> now = mark(day);
            if (now.isEmpty() || !now.equals(kept)) {
                copyAsOfNow(day);
            }
        }
    }

    /**
     * Copies the roll-ups after all days: those of a day that retention deleted meanwhile were
     * stored before.
     */
    private void copyRollUps() throws IOException {
        for (DayCopies.RollUpCopy rollUps : installation.days().rollUps()) {
            String name = BackupPart.TELEMETRY + rollUps.name();
            if (target.mark(name).equals(Optional.of(rollUps.name()))) {
                current.add(name);
                continue;
            }
            try (OpenPart part = target.write(name)) {
                copy(rollUps.file(), part.out());
                part.keep(rollUps.name(), contents(Map.of(DayCopies.ROLL_UPS, rollUps.rows())));
                current.add(name);
            } catch (NoSuchFileException e) {
                // Retention deleted it, or its day was rolled up again.
            }
        }
    }

    private void copyAsOfNow(LocalDate day) throws IOException {
        PrivateFiles.directory(installation.work());
        Path copy = installation.work().resolve("day" + BackupPart.DAY);
        delete(copy);
        try (OpenPart part = target.write(name(day))) {
            Map<String, Long> rows = installation.days().copy(day, copy);
            PrivateFiles.narrow(copy);
            copy(copy, part.out());
            part.keep("", contents(rows));
            current.add(name(day));
        } catch (StoreException e) {
            if (installation.days().days().contains(day)) {
                throw new IOException(e.getMessage(), e);
            }
            // Retention deleted it.
        } finally {
            delete(copy);
        }
    }

    private static void delete(Path copy) throws IOException {
        Files.deleteIfExists(copy);
        Files.deleteIfExists(copy.resolveSibling(copy.getFileName() + ".wal"));
    }

    private List<String> copyControl() throws IOException {
        try (ControlParts parts = new ControlParts()) {
            return installation.control().export(parts);
        } catch (SQLException e) {
            throw new IOException("control data: " + e.getMessage(), e);
        }
    }

    /** The parts of the control data, one for each table. */
    private final class ControlParts implements ControlData.Sink, AutoCloseable {

        private @Nullable OpenPart part;

        @Override
        public OutputStream open(String table) throws IOException {
            OpenPart fresh = target.write(name(table));
            part = fresh;
            return fresh.out();
        }

        @Override
        public void written(String table, TableSum sum) throws IOException {
            OpenPart ended = part;
            if (ended == null) {
                throw new IllegalStateException("table " + table + " was not opened");
            }
            ended.keep("", Map.of(table, new BackupPart.Content(sum.rows(), sum.sum())));
            current.add(name(table));
        }

        @Override
        public void close() throws IOException {
            if (part != null) {
                part.close();
            }
        }

        private static String name(String table) {
            return BackupPart.CONTROL + table + BackupPart.ROWS;
        }
    }

    private void copyFiles() throws IOException {
        for (Map.Entry<String, Path> file : new TreeMap<>(installation.files()).entrySet()) {
            if (Files.isRegularFile(file.getValue())) {
                String name = BackupPart.FILES + file.getKey();
                try (OpenPart part = target.write(name)) {
                    copy(file.getValue(), part.out());
                    part.keep("", Map.of());
                }
                current.add(name);
            }
        }
        try (OpenPart part = target.write(SETTINGS)) {
            part.out().write(installation.settings().getBytes(StandardCharsets.UTF_8));
            part.keep("", Map.of());
        }
        current.add(SETTINGS);
    }

    private static void copy(Path from, OutputStream to) throws IOException {
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = Files.newInputStream(from)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                to.write(buffer, 0, read);
            }
        }
    }

    private static Map<String, BackupPart.Content> contents(Map<String, Long> rows) {
        Map<String, BackupPart.Content> contents = new TreeMap<>();
        rows.forEach((table, count) -> contents.put(table, new BackupPart.Content(count, null)));
        return contents;
    }
}
