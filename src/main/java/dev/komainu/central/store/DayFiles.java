package dev.komainu.central.store;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All day files, attached to one DuckDB instance that has one memory limit for all of them. The
 * instance itself is in memory and contains no data.
 *
 * <p>Readers acquire the read lock of {@link #use()}; a file is detached under its write lock. New
 * files are attached while queries run.
 */
final class DayFiles implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DayFiles.class);

    /**
     * Tables of a day file. The columns that queries filter by stand beside {@code body}, the whole
     * record as its wire message.
     */
    private static final List<String> TABLES = List.of(
            "batches(source VARCHAR, epoch BIGINT, sequence BIGINT, ordinal BIGINT, received BIGINT, records INTEGER)",
            "connections(key BIGINT, instant BIGINT, service VARCHAR, source VARCHAR, client VARCHAR, state TINYINT,"
                    + " duration BIGINT, response BIGINT, targets VARCHAR, body BLOB)",
            "exchanges(key BIGINT, instant BIGINT, service VARCHAR, source VARCHAR, client VARCHAR, outcome TINYINT,"
                    + " response BIGINT, target VARCHAR, body BLOB)",
            "windows(key BIGINT, kind TINYINT, instant BIGINT, service VARCHAR, source VARCHAR, body BLOB)",
            "rollups(kind TINYINT, instant BIGINT, covered BIGINT, service VARCHAR, source VARCHAR, body BLOB)",
            "facts(key BIGINT, kind TINYINT, instant BIGINT, subject VARCHAR, source VARCHAR, body BLOB)",
            "rolled(ordinal BIGINT)");

    /**
     * DuckDB's messages for a file that it can never open; after other failures (no memory, no disk
     * space) a later attempt may succeed.
     */
    private static final Pattern DAMAGE = Pattern.compile(
            "not a valid DuckDB|[Cc]orrupt|[Cc]hecksum|Serialization Error|Failure while replaying WAL");

    /** DuckDB's message for an entry of the log whose content is not that which was written. */
    private static final Pattern TORN =
            Pattern.compile("entry at byte position (\\d+) computed checksum");

    /** Name in SQL of a copy that is being written; one at a time. */
    private static final String COPY = "copy_of_day";

    private final Path directory;
    private final FileChannel lockFile;
    private final DuckDBConnection root;
    private final CopyOnWriteArrayList<DayFile> files = new CopyOnWriteArrayList<>();
    private final ReadWriteLock use = new ReentrantReadWriteLock();
    private volatile int damaged;

    DayFiles(StoreSettings settings) {
        directory = settings.directory();
        try {
            PrivateFiles.directory(
                    directory,
                    "lock",
                    "*" + DayFile.SUFFIX,
                    "*.wal",
                    "*" + SavedMetadata.SUFFIX,
                    "*.damaged-*");
            lockFile = PrivateFiles.lock(
                    directory,
                    "in use by another process (expected: one central service for each directory)");
        } catch (IOException e) {
            throw new StoreException(
                    "store: " + directory + " cannot be used: " + e.getMessage(), e);
        }
        try {
            root = instance(settings);
            execute("SET temp_directory='" + literal(directory.resolve("temporary")) + "'");
            execute("SET preserve_insertion_order=false");
            // Checkpoints are those of checkpoint(DayFile) only.
            execute("SET checkpoint_threshold='1TiB'");
            for (LocalDate day : days(directory)) {
                attach(day);
            }
        } catch (SQLException | IOException e) {
            throw new StoreException(
                    "store: " + directory + " cannot be opened: " + e.getMessage(), e);
        }
    }

    /** Opens an instance in memory, with the limits of the settings. */
    static DuckDBConnection instance(StoreSettings settings) throws SQLException {
        DuckDBConnection instance =
                DriverManager.getConnection("jdbc:duckdb:").unwrap(DuckDBConnection.class);
        try (Statement statement = instance.createStatement()) {
            statement.execute("SET memory_limit='" + settings.memory().toMegabytes() + "MiB'");
            statement.execute("SET threads=" + settings.threads());
            // Extensions are never downloaded.
            statement.execute("SET autoinstall_known_extensions=false");
            statement.execute("SET autoload_known_extensions=false");
            return instance;
        } catch (SQLException e) {
            instance.close();
            throw e;
        }
    }

    /** Returns a path as it stands in SQL between quotes. */
    static String literal(Path path) {
        return path.toString().replace("'", "''");
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = root.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns the days that have a file in a directory, oldest first. */
    static List<LocalDate> days(Path directory) throws IOException {
        List<LocalDate> days = new ArrayList<>();
        try (Stream<Path> paths = Files.list(directory)) {
            for (Path path : paths.toList()) {
                String name = path.getFileName().toString();
                if (name.endsWith(DayFile.SUFFIX)) {
                    try {
                        days.add(LocalDate.parse(
                                name.substring(0, name.length() - DayFile.SUFFIX.length())));
                    } catch (DateTimeParseException e) {
                        LOG.warn("Store: {} is not a day file and is ignored", path);
                    }
                }
            }
        }
        days.sort(null);
        return days;
    }

    /**
     * Attaches a new or existing day file. A damaged file is renamed and left out; the other days
     * stay available.
     */
    // Only the constructor and the writer thread attach files.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private DayFile attach(LocalDate day) throws SQLException, IOException {
        DayFile file = new DayFile(directory, day);
        String attach = attaching(file);
        try {
            attachWhole(file, attach);
        } catch (SQLException e) {
            if (!DAMAGE.matcher(String.valueOf(e.getMessage())).find()) {
                throw e;
            }
            if (tryRestore(file, attach, e)) {
                return attached(file);
            }
            damaged++;
            Path aside = directory.resolve(day + ".damaged-" + System.currentTimeMillis());
            LOG.error(
                    "Store: {} is damaged, set aside as {}: {}",
                    file.path(),
                    aside,
                    e.getMessage());
            Files.move(file.path(), aside, StandardCopyOption.ATOMIC_MOVE);
            if (Files.exists(file.wal())) {
                Files.move(file.wal(), aside.resolveSibling(aside.getFileName() + ".wal"));
            }
            execute(attach);
        }
        return attached(file);
    }

    private DayFile attached(DayFile file) throws SQLException, IOException {
        // Blocks of before the file's state now: with them later damage would look restored.
        new SavedMetadata(file).delete();
        prepare(file);
        // DuckDB creates both with the mode of the umask.
        PrivateFiles.narrow(file.path());
        PrivateFiles.narrow(file.wal());
        files.add(file);
        return file;
    }

    /** Attaches a file whose metadata was cut by a loss of power, in its state before. */
    private boolean tryRestore(DayFile file, String attach, SQLException damage)
            throws IOException {
        if (!new SavedMetadata(file).restore()) {
            return false;
        }
        try {
            attachWhole(file, attach);
            LOG.warn(
                    "Store: {}: a checkpoint was cut off, the state before it was restored: {}",
                    file.path(),
                    firstLine(damage));
            return true;
        } catch (SQLException e) {
            LOG.warn("Store: {}: not restored: {}", file.path(), firstLine(e));
            return false;
        }
    }

    /**
     * Writes the log of a file into it. Its metadata is saved before: see {@link SavedMetadata}.
     * Writer thread only.
     *
     * @throws SQLException when it failed; the file may have to be opened again
     */
    void checkpoint(DayFile file) throws SQLException {
        if (!Files.exists(file.wal())) {
            return;
        }
        SavedMetadata before = new SavedMetadata(file);
        try {
            before.save(root, file.name());
            execute("CHECKPOINT " + file.name());
            before.delete();
        } catch (IOException e) {
            throw new SQLException(before.path() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Attaches a file, and cuts its log off before an entry that is not whole: a loss of power
     * leaves such an entry, which was not acknowledged. DuckDB skips one that is too short, and
     * refuses one with the wrong content. The log as it was is kept.
     */
    private void attachWhole(DayFile file, String attach) throws SQLException, IOException {
        try {
            execute(attach);
        } catch (SQLException e) {
            Matcher torn = TORN.matcher(String.valueOf(e.getMessage()));
            if (!torn.find() || !Files.exists(file.wal())) {
                throw e;
            }
            long end = Long.parseLong(torn.group(1));
            long size = Files.size(file.wal());
            Path kept = directory.resolve(
                    file.day() + ".damaged-" + System.currentTimeMillis() + ".wal");
            Files.copy(file.wal(), kept);
            PrivateFiles.narrow(kept);
            try (FileChannel log = FileChannel.open(file.wal(), StandardOpenOption.WRITE)) {
                log.truncate(end);
                log.force(true);
            }
            LOG.warn(
                    "Store: {} ended in an entry that is not whole: {} of {} bytes are used, all are kept as {}",
                    file.wal(),
                    end,
                    size,
                    kept);
            execute(attach);
        }
    }

    private void prepare(DayFile file) throws SQLException {
        for (String table : TABLES) {
            execute("CREATE TABLE IF NOT EXISTS " + file.name() + "." + table);
        }
        for (String table : List.of("connections", "exchanges", "windows", "rollups", "facts")) {
            try (Statement statement = root.createStatement();
                    ResultSet row = statement.executeQuery(
                            "SELECT min(instant), max(instant), count(*) FROM " + file.name() + "."
                                    + table)) {
                if (row.next() && row.getLong(3) > 0) {
                    file.include(row.getLong(1));
                    file.include(row.getLong(2));
                }
            }
        }
        countBatches(file);
    }

    private void countBatches(DayFile file) throws SQLException {
        try (Statement statement = root.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*), coalesce(arg_min(received, ordinal), 0) FROM "
                                + file.name() + ".batches")) {
            row.next();
            file.hold(row.getLong(1), row.getLong(2));
        }
    }

    /** Returns the file for batches that arrive on this day. Writer thread only. */
    DayFile of(LocalDate day) throws SQLException {
        for (DayFile file : files) {
            if (file.day().equals(day)) {
                return file;
            }
        }
        try {
            return attach(day);
        } catch (IOException e) {
            throw new SQLException(e);
        }
    }

    /** Returns the lock: its read lock for queries, its write lock for the removal of a file. */
    ReadWriteLock use() {
        return use;
    }

    List<DayFile> all() {
        return files;
    }

    List<DayFile> overlapping(TimeRange range) {
        return files.stream().filter(file -> file.overlaps(range)).toList();
    }

    /** Opens a connection to the instance for the caller's exclusive use. */
    DuckDBConnection connect() throws SQLException {
        return root.duplicate();
    }

    /**
     * Detaches a file that DuckDB has invalidated, because a checkpoint failed for lack of memory
     * or disk space, and attaches it again: committed rows are in its write-ahead log. Waits for
     * the running queries. Writer thread only.
     */
    void reopen(DayFile file) throws SQLException {
        use.writeLock().lock();
        try {
            try {
                execute("DETACH " + file.name());
            } catch (SQLException e) {
                // A file is detached even if its last checkpoint fails.
                LOG.warn("Store: {}: {}", file.path(), firstLine(e));
            }
            execute(attaching(file));
            // A batch may have been committed although its commit was reported as failed.
            countBatches(file);
        } finally {
            use.writeLock().unlock();
        }
    }

    /** Returns the number of rows of each table of a file. */
    Map<String, Long> rows(DayFile file) throws SQLException {
        use.readLock().lock();
        try (DuckDBConnection connection = connect()) {
            return count(connection, file.name());
        } finally {
            use.readLock().unlock();
        }
    }

    private static Map<String, Long> count(Connection connection, String database)
            throws SQLException {
        Map<String, Long> rows = new TreeMap<>();
        try (Statement statement = connection.createStatement()) {
            for (String table : TABLES) {
                String name = table.substring(0, table.indexOf('('));
                try (ResultSet row =
                        statement.executeQuery("SELECT count(*) FROM " + database + "." + name)) {
                    row.next();
                    rows.put(name, row.getLong(1));
                }
            }
        }
        return rows;
    }

    /**
     * Copies the tables of a file as of one instant into a new file. The file stays attached
     * meanwhile: its removal, and the writer with it, waits.
     *
     * @return the number of rows of each table
     */
    Map<String, Long> copy(DayFile file, Path to) throws SQLException {
        use.readLock().lock();
        try (DuckDBConnection connection = connect();
                Statement statement = connection.createStatement()) {
            if (!files.contains(file)) {
                throw new SQLException(file.path() + " was deleted");
            }
            statement.execute("ATTACH '" + literal(to) + "' AS " + COPY);
            try {
                Transaction.run(connection, () -> {
                    for (String table : TABLES) {
                        String name = table.substring(0, table.indexOf('('));
                        statement.execute("CREATE TABLE " + COPY + "." + table);
                        statement.execute("INSERT INTO " + COPY + "." + name + " SELECT * FROM "
                                + file.name() + "." + name);
                    }
                });
                return count(connection, COPY);
            } finally {
                statement.execute("DETACH " + COPY);
            }
        } finally {
            use.readLock().unlock();
        }
    }

    private static String firstLine(SQLException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    private static String attaching(DayFile file) {
        return "ATTACH '" + literal(file.path()) + "' AS " + file.name();
    }

    /**
     * Deletes a file permanently, unless it is pinned.
     *
     * @return whether it was deleted
     */
    boolean delete(DayFile file) throws IOException {
        if (!file.markDeleted()) {
            return false;
        }
        use.writeLock().lock();
        try {
            try {
                execute("DETACH " + file.name());
            } catch (SQLException e) {
                // A file is detached even if its last checkpoint fails, as on a full disk.
                LOG.warn("Store: {}: {}", file.path(), firstLine(e));
            }
            files.remove(file);
            Files.deleteIfExists(file.path());
            Files.deleteIfExists(file.wal());
            new SavedMetadata(file).delete();
            return true;
        } catch (IOException e) {
            file.unmarkDeleted();
            throw e;
        } finally {
            use.writeLock().unlock();
        }
    }

    StorageUse storage() {
        LocalDate oldest =
                files.stream().map(DayFile::day).min(LocalDate::compareTo).orElse(null);
        return new StorageUse(
                files.stream().mapToLong(DayFile::bytes).sum(),
                files.stream().mapToLong(DayFile::batches).sum(),
                files.size(),
                oldest,
                damaged,
                0,
                0);
    }

    /** A file that fails keeps its log, and does not keep the others from being closed. */
    private void detach(DayFile file) {
        try {
            checkpoint(file);
            execute("DETACH " + file.name());
        } catch (SQLException e) {
            LOG.warn("Store: {}: not closed cleanly: {}", file.path(), e.getMessage());
        }
    }

    @Override
    public void close() {
        use.writeLock().lock();
        try {
            for (DayFile file : files) {
                detach(file);
            }
            root.close();
            lockFile.close();
        } catch (SQLException | IOException e) {
            LOG.warn("Store: not closed cleanly: {}", e.getMessage());
        } finally {
            use.writeLock().unlock();
        }
    }
}
