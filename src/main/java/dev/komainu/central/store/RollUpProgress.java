package dev.komainu.central.store;

import dev.komainu.central.store.Summation.Part;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.MalformedBatchException;
import dev.komainu.telemetry.wire.RecordCodec;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.duckdb.DuckDBConnection;

/**
 * The windows of today's file that are not yet rolled up, of both kinds, and the last batch that
 * the roll-up table covers. The writer changes it under the write lock; a query that sums table and
 * progress acquires the read lock for both.
 */
final class RollUpProgress {

    private final ServiceSum serviceSum = new ServiceSum();
    private final ProxySum proxySum = new ProxySum();
    private final RollUps<ServiceWindow> services =
            new RollUps<>(serviceSum, StepCollector.SLOT_MICROS);
    private final RollUps<ProxyWindow> proxies = new RollUps<>(proxySum, StepCollector.SLOT_MICROS);
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private long lastOrdinal;

    ReadWriteLock lock() {
        return lock;
    }

    ServiceSum serviceSum() {
        return serviceSum;
    }

    ProxySum proxySum() {
        return proxySum;
    }

    RollUps<ServiceWindow> services() {
        return services;
    }

    RollUps<ProxyWindow> proxies() {
        return proxies;
    }

    /** Adds a batch that was committed. */
    void add(Batch batch, long ordinal) {
        lock.writeLock().lock();
        try {
            lastOrdinal = ordinal;
            for (TelemetryRecord record : batch.records()) {
                add(batch.id().source(), record);
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void add(String source, TelemetryRecord record) {
        if (record instanceof ServiceWindow window) {
            services.add(source, window);
        } else if (record instanceof ProxyWindow window) {
            proxies.add(source, window);
        }
    }

    /** Restores the raw windows of a file that a crash kept from being rolled up. */
    void recover(DuckDBConnection connection, DayFile file) throws SQLException {
        String sql = "SELECT key, source, body FROM " + file.name() + ".windows WHERE key >= "
                + "(((SELECT coalesce(max(ordinal), 0) FROM " + file.name() + ".rolled) + 1) << "
                + Rows.KEY_BITS + ")";
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                TelemetryRecord record = RecordCodec.decode(row.getBytes(3)).orElse(null);
                lastOrdinal = Math.max(lastOrdinal, row.getLong(1) >> Rows.KEY_BITS);
                if (record != null) {
                    add(row.getString(2), record);
                }
            }
        } catch (MalformedBatchException e) {
            throw new SQLException(file.path() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Replaces what is open by the raw windows of a file that was opened again: a batch may have
     * been committed although its commit was reported as failed.
     */
    void recoverAgain(DuckDBConnection connection, DayFile file) throws SQLException {
        lock.writeLock().lock();
        try {
            services.clear();
            proxies.clear();
            recover(connection, file);
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Returns the number of windows that are not yet rolled up. Writer thread only. */
    int size() {
        return services.size() + proxies.size();
    }

    boolean isEmpty() {
        return services.isEmpty() && proxies.isEmpty();
    }

    /** Writes every piece into the roll-up table, in a transaction of its own. */
    void write(DuckDBConnection connection, DayFile file) throws SQLException {
        lock.writeLock().lock();
        try {
            if (isEmpty()) {
                return;
            }
            Transaction.run(connection, () -> {
                try (Rows rows = new Rows(connection, file)) {
                    for (RollUps.Piece<ServiceWindow> piece : services.pieces()) {
                        rows.rollUp(Rows.SERVICE_WINDOW, serviceSum, piece);
                    }
                    for (RollUps.Piece<ProxyWindow> piece : proxies.pieces()) {
                        rows.rollUp(Rows.PROXY_WINDOW, proxySum, piece);
                    }
                    rows.rolled(lastOrdinal);
                }
            });
            services.clear();
            proxies.clear();
        } finally {
            lock.writeLock().unlock();
        }
    }

    /**
     * Returns the pieces of these services within a range, in order of time. Call under the read
     * lock.
     */
    static <W extends TelemetryRecord> List<RollUps.Piece<W>> pieces(
            RollUps<W> of, Summation<W> summation, List<String> services, TimeRange range) {
        return of.pieces(services, range).stream()
                .sorted((a, b) ->
                        Long.compare(fromOf(summation, a.part()), fromOf(summation, b.part())))
                .toList();
    }

    private static <W extends TelemetryRecord> long fromOf(Summation<W> summation, Part<W> part) {
        return summation.fromMicros(part.window());
    }
}
