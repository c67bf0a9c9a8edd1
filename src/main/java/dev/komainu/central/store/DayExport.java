package dev.komainu.central.store;

import dev.komainu.central.store.DayExports.RefusedException;
import dev.komainu.telemetry.file.PrivateFiles;
import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordCodec;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBReadableVector;
import org.duckdb.DuckDBScalarFunctionBuilder;
import org.duckdb.DuckDBWritableVector;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * The export of one kind of records of one day, one at a time. DuckDB writes a Parquet file on a
 * thread of its own; the caller's thread sends what has been written so far. So a client that has
 * gone is noticed within a part of the file, and the statement is cancelled. The file is deleted in
 * any case. The day is pinned meanwhile: neither the writer nor readers wait.
 */
final class DayExport implements AutoCloseable {

    /** Name of the directory of unfinished exports. */
    private static final String DIRECTORY = "exporting";

    private static final String JSON = "komainu_record_json";

    /** Rows of a row group: DuckDB holds one for each of its threads in memory. */
    private static final int GROUP_ROWS = 8_192;

    /** Bytes that must stay free beside the export. */
    private static final long RESERVE = 256L << 20;

    private static final int BUFFER = 1 << 16;
    private static final long LOOK_MILLIS = 50;
    private static final long PATIENCE_SECONDS = 10;

    private final Path directory;
    private final DayFiles files;
    private final Semaphore one = new Semaphore(1);
    private volatile @Nullable Statement running;
    private volatile boolean closing;

    /** Creates exports below a store's directory, and deletes what a crash left. */
    DayExport(Path store, DayFiles files) {
        this.directory = store.resolve(DIRECTORY);
        this.files = files;
        try (DuckDBConnection connection = files.connect();
                DuckDBScalarFunctionBuilder function = DuckDBFunctions.scalarFunction()) {
            FileSystemUtils.deleteRecursively(directory);
            function.withName(JSON)
                    .withParameter(String.class)
                    .withReturnType(String.class)
                    .withVectorizedFunction(DayExport::toJson)
                    .register(connection);
        } catch (IOException | SQLException e) {
            throw new StoreException("store: exports cannot be prepared: " + e.getMessage(), e);
        }
    }

    /** Converts records in Base64 to JSON; one of an unknown kind becomes null. */
    private static void toJson(DuckDBDataChunkReader rows, DuckDBWritableVector to)
            throws MalformedBatchException {
        DuckDBReadableVector bodies = rows.vector(0);
        for (long row = 0; row < rows.rowCount(); row++) {
            byte[] body = Base64.getDecoder().decode(bodies.getString(row));
            String json = RecordCodec.decode(body).map(RecordJson::write).orElse(null);
            if (json == null) {
                to.setNull(row);
            } else {
                to.setString(row, json);
            }
        }
    }

    /**
     * Exports a day.
     *
     * @param file a closed day
     */
    void run(DayFile file, ExportKind kind, DayExports.Target target)
            throws IOException, RefusedException {
        if (!one.tryAcquire()) {
            throw new RefusedException(
                    RefusedException.Reason.BUSY, "another export runs (expected: one at a time)");
        }
        try {
            if (!file.pin()) {
                throw new RefusedException(
                        RefusedException.Reason.UNKNOWN, file.day() + " was just deleted");
            }
            try {
                PrivateFiles.directory(directory);
                requireRoom(file.bytes());
                send(file, kind, target);
            } finally {
                file.unpin();
                FileSystemUtils.deleteRecursively(directory);
            }
        } finally {
            one.release();
        }
    }

    private void requireRoom(long bytes) throws IOException, RefusedException {
        long free = Files.getFileStore(directory).getUsableSpace();
        if (free - RESERVE < bytes) {
            throw new RefusedException(
                    RefusedException.Reason.NO_ROOM,
                    (free >> 20) + " MB of the disk are free (expected: "
                            + ((bytes + RESERVE) >> 20)
                            + " MB, the size of the day and a reserve)");
        }
    }

    private void send(DayFile file, ExportKind kind, DayExports.Target target) throws IOException {
        Path parquet = directory.resolve(file.day() + "-" + kind.text() + RollUpFile.SUFFIX);
        // Created here, so that it is closed to other users from its first byte on.
        PrivateFiles.open(parquet, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
                .close();
        OutputStream out = target.open();
        try (Connection connection = files.connect();
                Statement statement = connection.createStatement()) {
            FutureTask<Boolean> copy = new FutureTask<>(() -> statement.execute("COPY ("
                    + kind.query(file, JSON) + ") TO '" + DayFiles.literal(parquet)
                    + "' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE " + GROUP_ROWS
                    + ", USE_TMP_FILE false)"));
            running = statement;
            Thread thread = Thread.ofPlatform()
                    .name("komainu-export")
                    .daemon()
                    .priority(Thread.MIN_PRIORITY)
                    .start(copy);
            try {
                passOn(parquet, copy, out);
            } catch (IOException | RuntimeException e) {
                statement.cancel();
                throw e;
            } finally {
                running = null;
                join(thread, statement);
            }
        } catch (SQLException e) {
            throw new IOException(file.day() + " was not exported: " + e.getMessage(), e);
        }
    }

    /** Waits until DuckDB has left the file. */
    private static void join(Thread thread, Statement statement) throws SQLException {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
                statement.cancel();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends the file while it grows. */
    private void passOn(Path parquet, FutureTask<Boolean> copy, OutputStream out)
            throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        try (FileChannel in = FileChannel.open(parquet, StandardOpenOption.READ)) {
            boolean ended;
            do {
                ended = isDone(copy);
                for (int read = in.read(buffer.clear()); read > 0; read = in.read(buffer.clear())) {
                    out.write(buffer.array(), 0, read);
                }
                out.flush();
                if (closing) {
                    throw new IOException("the service stops");
                }
            } while (!ended);
        }
    }

    /** Waits a little for the end, and reports it. */
    private static boolean isDone(FutureTask<Boolean> copy) throws IOException {
        try {
            copy.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException(String.valueOf((cause == null ? e : cause).getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Cancels the export that runs, and waits for its end. */
    @Override
    public void close() {
        closing = true;
        Statement statement = running;
        try {
            if (statement != null) {
                statement.cancel();
            }
        } catch (SQLException e) {
            // It has just ended.
        }
        try {
            // A receiver that takes nothing must not keep the service from stopping.
            boolean unused = one.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
