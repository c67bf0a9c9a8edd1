package dev.komainu.central.store;

import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordCodec;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Pattern;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The commits into day files: a group of batches and their names are one transaction. */
final class DuckEngine implements StoreEngine {

    private static final Logger LOG = LoggerFactory.getLogger(DuckEngine.class);

    /**
     * DuckDB's messages for a file that is unusable until it is attached again: a checkpoint
     * failed, after which every access fails, although the commits before are durable.
     */
    private static final Pattern INVALIDATED =
            Pattern.compile("has been invalidated|autocheckpoint failed|appender_create");

    /** Length of a log from which on it is written into its file. */
    private static final long LONG_LOG = 16L << 20;

    private final Clock clock;
    private final DayFiles files;
    private final RollUpProgress progress;
    private final KnownBatches storedBatches;
    private final Retention retention;
    private final DuckDBConnection connection;
    private long nextOrdinal = 1;
    /** Length of a log at which the next checkpoint is tried. */
    private long longLog = LONG_LOG;

    /** The file that is written to; absent when nothing came since its day ended. */
    private volatile @Nullable DayFile current;

    /**
     * Reads the state of the files.
     *
     * @param storedBatches receives the names of what is stored
     */
    DuckEngine(
            StoreSettings settings,
            Clock clock,
            DayFiles files,
            RollUpFiles rollUps,
            RollUpProgress progress,
            KnownBatches storedBatches)
            throws SQLException {
        this.storedBatches = storedBatches;
        this.clock = clock;
        this.files = files;
        this.progress = progress;
        this.retention = new Retention(
                settings, clock, System::nanoTime, new DuckDays(files, rollUps, settings.kept()));
        this.connection = files.connect();
        for (DayFile file : files.all()) {
            recall(file);
            recoverWindows(file);
            // The windows of an earlier day must be written into that day's file before today's
            // windows come.
            writeRollUps(file);
        }
        sweep();
    }

    /** Starts the writer of the files. */
    StoreWriter start(int groupRecords) {
        return new StoreWriter(this, progress, storedBatches, groupRecords);
    }

    /** Returns the file that is written to; absent when nothing came since its day ended. */
    @Nullable
    DayFile current() {
        return current;
    }

    private void recall(DayFile file) throws SQLException {
        // Islands of consecutive sequences; HUGEINT, because a sequence may be any 64-bit number.
        String sql =
                "SELECT source, epoch, min(sequence), max(sequence), max(ordinal) FROM (SELECT *,"
                        + " sequence::HUGEINT - row_number() OVER (PARTITION BY source, epoch ORDER BY sequence) AS island FROM "
                        + file.name() + ".batches) GROUP BY source, epoch, island";
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                storedBatches.add(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4));
                nextOrdinal = Math.max(nextOrdinal, row.getLong(5) + 1);
            }
        }
    }

    /** Restores the raw windows of a file that a crash kept from being rolled up. */
    private void recoverWindows(DayFile file) throws SQLException {
        String sql = "SELECT key, source, body FROM " + file.name() + ".windows WHERE key >= "
                + "(((SELECT coalesce(max(ordinal), 0) FROM " + file.name() + ".rolled) + 1) << "
                + Rows.KEY_BITS + ")";
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                TelemetryRecord record = RecordCodec.decode(row.getBytes(3)).orElse(null);
                if (record != null) {
                    progress.recovered(row.getString(2), record, row.getLong(1) >> Rows.KEY_BITS);
                }
            }
        } catch (MalformedBatchException e) {
            throw new SQLException(file.path() + ": " + e.getMessage(), e);
        }
    }

    /** Writes every open piece into the roll-up table, in a transaction of its own. */
    private void writeRollUps(DayFile file) throws SQLException {
        progress.write((services, proxies, lastOrdinal) -> Transaction.run(connection, () -> {
            try (Rows rows = new Rows(connection, file)) {
                for (RollUps.Piece<ServiceWindow> piece : services) {
                    rows.rollUp(Rows.SERVICE_WINDOW, progress.serviceSum(), piece);
                }
                for (RollUps.Piece<ProxyWindow> piece : proxies) {
                    rows.rollUp(Rows.PROXY_WINDOW, progress.proxySum(), piece);
                }
                rows.rolled(lastOrdinal);
            }
        }));
    }

    @Override
    public void write(List<Batch> batches) throws SQLException {
        DayFile file = today();
        long received = ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
        long firstOrdinal = nextOrdinal;
        // Widened before the commit: a query may then read the file without a match, but never miss
        // a record.
        for (Batch batch : batches) {
            for (TelemetryRecord record : batch.records()) {
                file.include(record.atMicros());
                file.include(FilingInstant.fromOf(record));
            }
        }
        Transaction.run(connection, () -> {
            try (Rows rows = new Rows(connection, file)) {
                long ordinal = firstOrdinal;
                for (Batch batch : batches) {
                    rows.write(batch, ordinal++, received);
                }
            }
        });
        for (Batch batch : batches) {
            storedBatches.add(batch.id());
            progress.add(batch, nextOrdinal++);
        }
        file.addBatches(batches.size(), received);
        checkpointLongLog(file);
    }

    /** The commit before is durable, whatever happens to the checkpoint. */
    private void checkpointLongLog(DayFile file) {
        long length = file.logBytes();
        if (length < longLog) {
            return;
        }
        try {
            files.checkpoint(file);
            longLog = LONG_LOG;
        } catch (SQLException e) {
            longLog = length + LONG_LOG;
            LOG.warn("Store: {}: no checkpoint: {}", file.path(), e.getMessage());
        }
    }

    private DayFile today() throws SQLException {
        LocalDate day = day();
        DayFile file = current;
        if (file == null || !file.day().equals(day)) {
            rollUp();
            file = files.of(day);
            current = file;
        }
        return file;
    }

    private LocalDate day() {
        return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    }

    /** Opens today's file again if a failure has made it unusable. */
    @Override
    public boolean recover(Exception failure) {
        DayFile file = current;
        if (file == null
                || !INVALIDATED.matcher(String.valueOf(failure.getMessage())).find()) {
            return false;
        }
        try {
            files.reopen(file);
            recall(file);
            progress.lock().writeLock().lock();
            try {
                progress.clear();
                recoverWindows(file);
            } finally {
                progress.lock().writeLock().unlock();
            }
            LOG.warn("Store: {} was opened again after: {}", file.path(), failure.getMessage());
            return true;
        } catch (SQLException e) {
            LOG.error("Store: {} cannot be opened again: {}", file.path(), e.getMessage());
            return false;
        }
    }

    @Override
    public boolean isAway(Exception failure) {
        return false;
    }

    @Override
    public void rollUp() throws SQLException {
        DayFile file = current;
        if (file != null) {
            writeRollUps(file);
            if (!file.day().equals(day())) {
                // Complete although nothing came since its day ended.
                current = null;
            }
        }
    }

    @Override
    public void sweep() {
        DayFile file = current;
        retention.sweep(file == null ? null : file.day());
    }

    @Override
    public void makeRoom(long wanted) {
        DayFile file = current;
        retention.makeRoom(wanted, file == null ? null : file.day());
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
