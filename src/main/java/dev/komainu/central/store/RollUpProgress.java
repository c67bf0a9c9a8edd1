package dev.komainu.central.store;

import dev.komainu.central.store.Summation.Part;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The stored windows that are not yet rolled up, of both kinds, and the last batch that the roll-up
 * table covers. The writer changes it under the write lock; a query that sums table and progress
 * acquires the read lock for both.
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

    /** Adds a stored window that a crash kept from being rolled up. */
    void recovered(String source, TelemetryRecord record, long ordinal) {
        lock.writeLock().lock();
        try {
            lastOrdinal = Math.max(lastOrdinal, ordinal);
            add(source, record);
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Forgets what is open; the stored windows are recovered again. */
    void clear() {
        lock.writeLock().lock();
        try {
            services.clear();
            proxies.clear();
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

    /** The target of the pieces, which takes all or none. */
    @FunctionalInterface
    interface Destination {
        /**
         * Writes the pieces.
         *
         * @param lastOrdinal the last batch that the pieces and all earlier ones cover
         */
        void write(
                List<RollUps.Piece<ServiceWindow>> services,
                List<RollUps.Piece<ProxyWindow>> proxies,
                long lastOrdinal)
                throws SQLException;
    }

    /** Writes every piece. Queries that hold the read lock end before. */
    void write(Destination to) throws SQLException {
        lock.writeLock().lock();
        try {
            if (isEmpty()) {
                return;
            }
            to.write(services.pieces(), proxies.pieces(), lastOrdinal);
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
