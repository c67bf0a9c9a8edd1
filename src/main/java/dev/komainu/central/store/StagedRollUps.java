package dev.komainu.central.store;

import dev.komainu.telemetry.file.PrivateFiles;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.RecordCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.springframework.util.FileSystemUtils;

/**
 * The roll-ups of one day while they are made: rows in order of time, then Parquet files sorted by
 * service. They are in a DuckDB instance of their own with little memory, because the sort of a day
 * must not take the memory that the store's checkpoints need. Used by one thread.
 */
final class StagedRollUps implements AutoCloseable {

    /**
     * Rows of a row group. A query for one service reads whole row groups, and a service has 1,440
     * minutes a day.
     */
    private static final int GROUP_ROWS = 2_048;

    private static final String TABLE =
            "(kind TINYINT, instant BIGINT, covered BIGINT, service VARCHAR, source VARCHAR, body BLOB)";

    private final Path work;
    private final DuckDBConnection connection;
    private final Map<RollUpLevel, DuckDBAppender> appenders = new EnumMap<>(RollUpLevel.class);

    /**
     * Begins with empty tables.
     *
     * @param work directory of its own; what an earlier attempt left there is deleted
     */
    StagedRollUps(Path work) throws IOException, SQLException {
        this.work = work;
        FileSystemUtils.deleteRecursively(work);
        PrivateFiles.directory(work);
        connection = DriverManager.getConnection("jdbc:duckdb:" + work.resolve("staged.duckdb"))
                .unwrap(DuckDBConnection.class);
        execute("SET memory_limit='64MiB'");
        execute("SET threads=1");
        execute("SET temp_directory='" + DayFiles.literal(work.resolve("temporary")) + "'");
        execute("SET autoinstall_known_extensions=false");
        execute("SET autoload_known_extensions=false");
        for (RollUpLevel level : RollUpLevel.values()) {
            execute("CREATE TABLE " + level.directory() + TABLE);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    <W extends TelemetryRecord> void add(
            RollUpLevel level, int kind, Summation<W> summation, RollUps.Piece<W> piece)
            throws SQLException {
        DuckDBAppender into = appenders.get(level);
        if (into == null) {
            into = connection.createAppender("main", level.directory());
            appenders.put(level, into);
        }
        W window = piece.part().window();
        into.beginRow()
                .append((byte) kind)
                .append(summation.fromMicros(window))
                .append(piece.part().coveredMicros())
                .append(summation.service(window))
                .append(piece.source())
                .append(RecordCodec.encode(window))
                .endRow();
    }

    /** Writes the added rows to the tables: they take memory until then. */
    void flush() throws SQLException {
        for (DuckDBAppender appender : appenders.values()) {
            appender.close();
        }
        appenders.clear();
    }

    /** Writes the rows of a level into a Parquet file, and returns it. */
    Path write(RollUpLevel level) throws SQLException {
        flush();
        Path file = work.resolve(level.directory() + RollUpFile.SUFFIX);
        execute("COPY (SELECT * FROM " + level.directory()
                + " ORDER BY service, kind, source, instant) TO '" + DayFiles.literal(file)
                + "' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE " + GROUP_ROWS
                + ", USE_TMP_FILE false)");
        return file;
    }

    /** Deletes everything that was not moved away. */
    @Override
    public void close() throws SQLException, IOException {
        appenders.clear();
        connection.close();
        if (Files.exists(work)) {
            FileSystemUtils.deleteRecursively(work);
        }
    }
}
