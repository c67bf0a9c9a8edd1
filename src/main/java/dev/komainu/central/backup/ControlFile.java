package dev.komainu.central.backup;

import dev.komainu.central.backup.table.JdbcControlData;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The H2 file of the control data, checked before the service opens it. A file that H2 cannot read
 * is set aside, and the newest copy that it can read takes its place. Before a newer version
 * changes the tables, the file is copied ({@link UpgradeCopy}), and upgraded as a whole
 * ({@link ControlUpgrade}). Stateless.
 *
 * <p>H2 opens a file that was cut off in an earlier state. So the file must have the audit entry
 * that its newest copy has.
 *
 * <p>H2 checks the head of each page, and not its content. A changed byte within a value may
 * therefore stay unseen here; the audit log has its own check, and backups have hashes.
 */
public final class ControlFile {

    /** Name of the file below the data directory. */
    public static final String NAME = "control.mv.db";

    /** File that stands in a data directory while it is being restored. */
    static final String UNFINISHED = "restore-unfinished";

    /**
     * File that stands in a data directory while its database is checked, a byte for each attempt.
     */
    static final String UNENDED = "control-check";

    private static final int MOST_UNENDED = 2;

    private static final Logger LOG = LoggerFactory.getLogger(ControlFile.class);
    /** User of the database, without a password: only its owner can read the file. */
    static final String USER = "komainu";

    private static final int IN_USE = 90020;
    private static final int NOT_FOUND = 90146;

    /** H2's error codes of a file that is in order: in use, another user, read only. */
    private static final Set<Integer> NO_DAMAGE = Set.of(IN_USE, 28000, 90097);

    private static final long LEAST_SPACE = 16L << 20;

    /** Bytes of a file's head, which H2 writes first. No row is in a file that has no more. */
    private static final long HEAD_BYTES = 8 << 10;

    /** Database that is a copy of the file, while it is checked. */
    private static final String COPIED = "control-checked";

    private ControlFile() {}

    /**
     * A file that was mended.
     *
     * @param fault why H2 could not read it
     * @param aside where it lies now; absent: it was missing or empty
     * @param from instant of the copy in its place; changes after it are lost
     */
    public record Mending(String fault, @Nullable Path aside, Instant from) {}

    /**
     * The result of a reading.
     *
     * @param fault why H2 cannot read it; absent: it can
     * @param migrations versions of the migrations that made its tables; absent: it was not read
     */
    private record Reading(@Nullable String fault, @Nullable List<String> migrations) {

        static final Reading UNCHECKED = new Reading(null, null);

        static Reading damaged(String fault) {
            return new Reading(fault, null);
        }
    }

    /**
     * Checks the file, and mends it when H2 cannot read it.
     *
     * @param data directory of the file
     * @return what was mended; empty when the file is in order, or there is neither a file nor a
     *     copy
     * @throws IOException when it can neither be read nor mended; the file is then where it was
     */
    static Optional<Mending> check(Path data, Clock clock) throws IOException {
        return checked(data, clock).mending();
    }

    /**
     * Checks the file, mends it when H2 cannot read it, and upgrades it when this version has
     * migrations that it lacks.
     *
     * @param data directory of the file, which exists and may be empty
     * @param migrations runs the migrations that a database lacks
     * @return what was mended
     */
    public static Optional<Mending> prepare(Path data, Clock clock, Consumer<DataSource> migrations)
            throws IOException {
        Checked checked = checked(data, clock);
        List<String> applied = checked.reading().migrations();
        if (applied != null && !applied.containsAll(H2Migrations.all().keySet())) {
            ControlUpgrade.run(data, migrations);
        }
        return checked.mending();
    }

    /** A file that H2 can read, as far as it was checked. */
    private record Checked(Optional<Mending> mending, Reading reading) {}

    private static Checked checked(Path data, Clock clock) throws IOException {
        if (Files.exists(data.resolve(UNFINISHED))) {
            throw new IOException(data + ": a restore was broken off (expected: a complete one;"
                    + " empty the directory and repeat ./komainu restore)");
        }
        Path file = data.resolve(NAME);
        boolean isPresent = Files.exists(file) && Files.size(file) > HEAD_BYTES;
        List<ControlCopies.Copy> copies = ControlCopies.list(data.resolve(ControlCopies.DIRECTORY));
        if (!isPresent && copies.isEmpty()) {
            // The first start; or that start lost power, and H2 refuses the head of its file.
            Files.deleteIfExists(file);
            return new Checked(Optional.empty(), new Reading(null, List.of()));
        }
        long leastAudit = copies.isEmpty() ? 0 : copies.getFirst().auditNumber();
        Reading reading = isPresent
                ? read(data, leastAudit)
                : Reading.damaged("the file is missing or empty");
        String fault = reading.fault();
        if (fault != null) {
            return mend(data, isPresent, fault, copies, clock);
        }
        List<String> applied = reading.migrations();
        if (applied != null) {
            UpgradeCopy.makeIfDue(file, applied, H2Migrations.all().keySet(), clock.millis());
        }
        return new Checked(Optional.empty(), reading);
    }

    private static Checked mend(
            Path data,
            boolean isPresent,
            String fault,
            List<ControlCopies.Copy> copies,
            Clock clock)
            throws IOException {
        Path file = data.resolve(NAME);
        LOG.error("Control data: {} is damaged: {}", file, fault);
        Path aside = null;
        if (isPresent) {
            aside = file.resolveSibling("control.damaged-" + clock.millis() + ".mv.db");
            Files.move(file, aside, StandardCopyOption.ATOMIC_MOVE);
        }
        for (ControlCopies.Copy copy : copies) {
            try {
                unpack(copy.file(), file);
                Reading reading = read(data, 0);
                String copied = reading.fault();
                if (copied == null) {
                    LOG.error(
                            "Control data: mended from the copy of {}; changes after it are lost. The damaged file is {}",
                            copy.at(),
                            aside);
                    return new Checked(Optional.of(new Mending(fault, aside, copy.at())), reading);
                }
                LOG.warn("Control data: {} cannot be read either: {}", copy.file(), copied);
            } catch (IOException e) {
                LOG.warn("Control data: {} cannot be read either: {}", copy.file(), e.getMessage());
            }
        }
        Files.deleteIfExists(file);
        if (aside != null) {
            Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
        }
        throw new IOException(file + ": damaged, and " + copies.size()
                + " copies cannot be read (expected: a file that H2 reads; mend: ./komainu restore"
                + " of a backup into an empty directory): " + fault);
    }

    /** Puts the database of a copy in the place of the file. */
    private static void unpack(Path copy, Path file) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(copy))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                if (entry.getName().endsWith(".mv.db")) {
                    write(zip, fresh);
                    Files.move(
                            fresh,
                            file,
                            StandardCopyOption.ATOMIC_MOVE,
                            StandardCopyOption.REPLACE_EXISTING);
                    return;
                }
            }
        }
        throw new IOException(copy.getFileName() + ": no database in it");
    }

    private static void write(InputStream from, Path to) throws IOException {
        try (FileChannel channel =
                PrivateFiles.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            from.transferTo(Channels.newOutputStream(channel));
            channel.force(true);
        }
    }

    /**
     * Reads every row and every index of a copy of the file. The file itself is not opened: H2 cuts
     * off a damaged file, and after some faults it keeps the lock. A file that cannot be checked
     * now counts as in order: the service's own opening then tells why.
     */
    private static Reading read(Path data, long leastAudit) throws IOException {
        Path file = data.resolve(NAME);
        if (Files.getFileStore(data).getUsableSpace() < LEAST_SPACE + Files.size(file)) {
            LOG.warn("Control data: not checked, because {} has no room for a copy", data);
            return Reading.UNCHECKED;
        }
        // A damaged length lets H2 ask for more memory than there is, which ends the process.
        Path unended = data.resolve(UNENDED);
        int before = Files.exists(unended) ? (int) Files.size(unended) : 0;
        if (before >= MOST_UNENDED) {
            Files.delete(unended);
            return Reading.damaged("its check ended the process " + before + " times");
        }
        Path copy = data.resolve(COPIED + ".mv.db");
        Files.deleteIfExists(copy);
        PrivateFiles.replace(unended, new byte[before + 1]);
        try {
            return copied(file, copy) ? readAll(url(data, COPIED), leastAudit) : Reading.UNCHECKED;
        } finally {
            Files.deleteIfExists(copy);
            Files.deleteIfExists(data.resolve(COPIED + ".trace.db"));
            Files.deleteIfExists(unended);
        }
    }

    /** Copies a file that no process uses; returns false for one that is used. */
    private static boolean copied(Path file, Path copy) throws IOException {
        try (FileChannel original =
                        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock lock = original.tryLock()) {
            if (lock == null) {
                return false;
            }
            write(Channels.newInputStream(original), copy);
            return true;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Returns the database of the file. Its connections lock the file, and write nothing to it. */
    public static DataSource readOnly(Path data) {
        return new DriverManagerDataSource(readOnlyUrl(data), USER, "");
    }

    /** Returns why a read-only connection was not opened, with what was expected. */
    public static String faultOf(Path data, SQLException failure) {
        Path file = data.resolve(NAME);
        return switch (failure.getErrorCode()) {
            case IN_USE -> file + ": in use (expected: a service that is stopped)";
            case NOT_FOUND ->
                file + ": missing (expected: the data directory of a central service)";
            default ->
                file + ": " + firstLine(failure)
                        + " (expected: a service that was stopped; after a crash start and stop it"
                        + " once)";
        };
    }

    private static String readOnlyUrl(Path data) {
        return url(data, "control") + ";ACCESS_MODE_DATA=r";
    }

    // H2 answers damage with many kinds of exceptions, unchecked ones among them.
    private static Reading readAll(String url, long leastAudit) throws IOException {
        try (Connection connection = DriverManager.getConnection(url, USER, "")) {
            JdbcControlData.readAll(connection);
            long audit = AuditNumber.of(connection);
            return audit < leastAudit
                    ? Reading.damaged("its end is lost: audit entry " + leastAudit
                            + " is in the newest copy and not in the file")
                    : new Reading(null, JdbcControlData.migrations(connection));
        } catch (SQLException e) {
            return NO_DAMAGE.contains(e.getErrorCode())
                    ? Reading.UNCHECKED
                    : Reading.damaged(firstLine(e));
        } catch (UnsupportedOperationException e) {
            throw new IOException(url + ": " + e.getMessage(), e);
        } catch (OutOfMemoryError e) {
            return Reading.damaged("more memory than there is: " + e.getMessage());
        } catch (RuntimeException e) {
            return Reading.damaged(firstLine(e));
        }
    }

    private static String url(Path data, String name) {
        return "jdbc:h2:file:" + data.resolve(name)
                + ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE;IFEXISTS=TRUE";
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
