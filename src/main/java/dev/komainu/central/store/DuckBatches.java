package dev.komainu.central.store;

import dev.komainu.telemetry.file.PrivateFiles;
import dev.komainu.telemetry.record.BatchId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The batches in day files: of a store that is open, or of the files of a stopped service. */
final class DuckBatches extends StoredBatches {

    private static final List<String> TABLES =
            List.of("connections", "exchanges", "windows", "facts");

    private final Connection connection;
    private final @Nullable FileChannel lock;
    /** The attached databases' names in SQL. */
    private final Supplier<Map<LocalDate, String>> attached;

    private DuckBatches(
            Connection connection,
            @Nullable FileChannel lock,
            Supplier<Map<LocalDate, String>> attached) {
        this.connection = connection;
        this.lock = lock;
        this.attached = attached;
    }

    /** Returns the batches of files that a store has attached, now or later. */
    static DuckBatches of(DayFiles files) throws SQLException {
        return new DuckBatches(
                files.connect(),
                null,
                () -> files.all().stream().collect(Collectors.toMap(DayFile::day, DayFile::name)));
    }

    /**
     * Opens the files of a stopped service for reading; nothing is written to them.
     *
     * @throws StoreException when a service uses the directory, or a file cannot be read
     */
    static DuckBatches ofFiles(StoreSettings settings) {
        Path directory = settings.directory();
        FileChannel lock = null;
        try {
            lock = PrivateFiles.lock(
                    directory, "in use by another process (expected: a stopped central service)");
            Connection connection = DayFiles.instance(settings);
            Map<LocalDate, String> names = new TreeMap<>();
            try (Statement statement = connection.createStatement()) {
                for (LocalDate day : DayFiles.days(directory)) {
                    DayFile file = new DayFile(directory, day);
                    statement.execute("ATTACH '" + DayFiles.literal(file.path()) + "' AS "
                            + file.name() + " (READ_ONLY)");
                    names.put(day, file.name());
                }
            } catch (IOException | SQLException e) {
                connection.close();
                throw e;
            }
            return new DuckBatches(connection, lock, () -> names);
        } catch (IOException | SQLException e) {
            release(lock);
            throw new StoreException(
                    "store: " + directory + " cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    List<LocalDate> days() throws SQLException {
        List<LocalDate> days = new ArrayList<>();
        for (LocalDate day : new TreeMap<>(attached.get()).keySet()) {
            if (count(day) > 0) {
                days.add(day);
            }
        }
        return days;
    }

    @Override
    long count(LocalDate day) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT count(*) FROM " + of(day) + ".batches")) {
            row.next();
            return row.getLong(1);
        }
    }

    private String of(LocalDate day) {
        return Objects.requireNonNull(attached.get().get(day), day.toString());
    }

    @Override
    List<Name> names(LocalDate day, long above, int most) throws SQLException {
        String sql = "SELECT source, epoch, sequence, ordinal, received, records FROM " + of(day)
                + ".batches WHERE ordinal > ? ORDER BY ordinal LIMIT ?";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, above);
            statement.setInt(2, most);
            List<Name> names = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    names.add(new Name(
                            new BatchId(row.getString(1), row.getLong(2), row.getLong(3)),
                            row.getLong(4),
                            row.getLong(5),
                            row.getInt(6)));
                }
            }
            return names;
        }
    }

    @Override
    void bodies(LocalDate day, long first, long last, BodySink sink) throws SQLException {
        String sql = TABLES.stream()
                        .map(table -> "SELECT key, body FROM " + of(day) + "." + table
                                + " WHERE key >= " + (first << Rows.KEY_BITS) + " AND key < "
                                + ((last + 1) << Rows.KEY_BITS))
                        .collect(Collectors.joining(" UNION ALL "))
                + " ORDER BY key";
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                sink.take(row.getLong(1), row.getBytes(2));
            }
        }
    }

    @Override
    public void close() throws SQLException {
        try {
            connection.close();
        } finally {
            release(lock);
        }
    }

    private static void release(@Nullable FileChannel lock) {
        if (lock != null) {
            try {
                lock.close();
            } catch (IOException e) {
                // The end of this process releases it.
            }
        }
    }
}
