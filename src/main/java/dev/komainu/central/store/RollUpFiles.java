package dev.komainu.central.store;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.duckdb.DuckDBConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All files of roll-ups. A file appears under its name when it is complete and on the disk, so a
 * crash leaves none in part. Any thread; files are removed under the write lock of
 * {@link DayFiles#use()}, because queries read them by their paths.
 */
final class RollUpFiles {

    private static final Logger LOG = LoggerFactory.getLogger(RollUpFiles.class);

    /** Files whose ranges are read in one query. */
    private static final int AT_ONCE = 256;

    /** DuckDB's messages for a file that is no Parquet file, or not a whole one. */
    private static final Pattern DAMAGE = Pattern.compile(
            "Invalid Input Error|TProtocolException|TTransportException|[Cc]orrupt|Serialization Error");

    private final Path directory;
    private final DayFiles days;
    private final CopyOnWriteArrayList<RollUpFile> files = new CopyOnWriteArrayList<>();
    private final AtomicInteger damaged = new AtomicInteger();

    /**
     * Opens the files below a store's directory. One that cannot be read is set aside.
     *
     * @throws StoreException when a directory cannot be used
     */
    RollUpFiles(Path directory, DayFiles days) {
        this.directory = directory;
        this.days = days;
        try {
            for (RollUpLevel level : RollUpLevel.values()) {
                open(level);
            }
        } catch (IOException | SQLException e) {
            throw new StoreException(
                    "store: roll-ups below " + directory + " cannot be opened: " + e.getMessage(),
                    e);
        }
    }

    private void open(RollUpLevel level) throws IOException, SQLException {
        Path own = directory.resolve(level.directory());
        PrivateFiles.directory(own, "*" + RollUpFile.SUFFIX, "*.damaged-*");
        Map<String, RollUpFile> newest = new HashMap<>();
        try (DirectoryStream<Path> paths = Files.newDirectoryStream(own)) {
            for (Path path : paths) {
                Optional<RollUpFile> file = RollUpFile.of(level, path);
                if (file.isPresent()) {
                    String made = file.get().day() + "." + file.get().generation();
                    RollUpFile other = newest.putIfAbsent(made, file.get());
                    if (other != null) {
                        // A crash kept the older one from being deleted.
                        boolean isNewer = other.batches() < file.get().batches();
                        newest.put(made, isNewer ? file.get() : other);
                        Files.delete((isNewer ? other : file.get()).path());
                    }
                }
            }
        }
        List<RollUpFile> found = new ArrayList<>(newest.values());
        found.sort(Comparator.comparing(RollUpFile::day).thenComparing(RollUpFile::generation));
        for (int from = 0; from < found.size(); from += AT_ONCE) {
            addReadable(found.subList(from, Math.min(found.size(), from + AT_ONCE)));
        }
    }

    private void addReadable(List<RollUpFile> some) throws IOException, SQLException {
        try {
            files.addAll(withRows(some));
        } catch (SQLException e) {
            if (some.size() > 1) {
                for (RollUpFile file : some) {
                    addReadable(List.of(file));
                }
                return;
            }
            Path path = some.getFirst().path();
            if (!isDamage(e)) {
                throw e;
            }
            damaged.incrementAndGet();
            Path aside = path.resolveSibling(
                    path.getFileName() + ".damaged-" + System.currentTimeMillis());
            LOG.error("Store: {} is damaged, set aside as {}: {}", path, aside, e.getMessage());
            Files.move(path, aside, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /**
     * Reports whether the file can never be read; after a lack of memory or of descriptors it can
     * be later.
     */
    private static boolean isDamage(SQLException e) {
        return DAMAGE.matcher(String.valueOf(e.getMessage())).find();
    }

    private List<RollUpFile> withRows(List<RollUpFile> some) throws SQLException {
        Map<String, RollUpFile> byPath = new HashMap<>();
        some.forEach(file -> byPath.put(file.path().toString(), file));
        // A file without roll-ups has no row here.
        try (DuckDBConnection connection = days.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT filename, min(instant), max(instant), count(*) FROM read_parquet("
                                + list(some) + ", filename = true) GROUP BY filename")) {
            while (row.next()) {
                long min = row.getLong(2);
                long max = row.getLong(3);
                long rows = row.getLong(4);
                byPath.computeIfPresent(
                        row.getString(1), (path, file) -> file.withRows(rows, min, max));
            }
        }
        return List.copyOf(byPath.values());
    }

    /** Returns paths as a list in SQL. */
    static String list(List<RollUpFile> of) {
        return of.stream()
                .map(file -> "'" + DayFiles.literal(file.path()) + "'")
                .collect(Collectors.joining(", ", "[", "]"));
    }

    List<RollUpFile> all() {
        return files;
    }

    /** Returns the complete roll-ups of a day file as it is now. */
    Optional<RollUpFile> complete(RollUpLevel level, DayFile file) {
        return files.stream()
                .filter(each -> each.level() == level && each.isComplete(file))
                .findFirst();
    }

    /** Reports whether everything of a day file is in the roll-ups of every length. */
    boolean cover(DayFile file) {
        if (file.batches() == 0) {
            return true;
        }
        for (RollUpLevel level : RollUpLevel.values()) {
            if (complete(level, file).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Adds a written file under its name, and removes the one that it replaces.
     *
     * @param written the file under another name, on the same file system
     * @param name the file that it becomes
     */
    void publish(Path written, RollUpFile name) throws SQLException, IOException {
        try (FileChannel out = FileChannel.open(written, StandardOpenOption.WRITE)) {
            out.force(true);
        }
        PrivateFiles.narrow(written);
        Files.move(
                written,
                name.path(),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        PrivateFiles.forceNames(name.path());
        RollUpFile file = withRows(List.of(name)).getFirst();
        List<RollUpFile> replaced = files.stream()
                .filter(each -> each.level() == name.level()
                        && each.day().equals(name.day())
                        && each.generation() == name.generation())
                .toList();
        days.use().writeLock().lock();
        try {
            files.removeAll(replaced);
            files.add(file);
            for (RollUpFile old : replaced) {
                if (!old.path().equals(file.path())) {
                    Files.deleteIfExists(old.path());
                }
            }
        } finally {
            days.use().writeLock().unlock();
        }
    }

    /** Deletes a file permanently. */
    void delete(RollUpFile file) throws IOException {
        days.use().writeLock().lock();
        try {
            files.remove(file);
            Files.deleteIfExists(file.path());
        } finally {
            days.use().writeLock().unlock();
        }
    }

    /** Returns the bytes of all files of a length. */
    long bytes(RollUpLevel level) {
        return files.stream()
                .filter(file -> file.level() == level)
                .mapToLong(RollUpFile::bytes)
                .sum();
    }

    /** Returns the number of files set aside because they could not be read. */
    int damaged() {
        return damaged.get();
    }

    /** Returns the directory of all of them. */
    Path directory() {
        return directory;
    }
}
