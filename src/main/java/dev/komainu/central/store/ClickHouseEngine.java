package dev.komainu.central.store;

import dev.komainu.central.clickhouse.ClickHouseClient;
import dev.komainu.central.clickhouse.ClickHouseException;
import dev.komainu.central.clickhouse.ClickHouseFailures.Outage;
import dev.komainu.central.store.CommittedRows.Ordinals;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceWindow;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commits into ClickHouse. Each write takes ordinals that no write had before, and goes through
 * these steps:
 *
 * <ol>
 *   <li>its rows are inserted, table by table: they do not count yet;
 *   <li>the names of its batches are inserted in one part: now they do, also after a restart;
 *   <li>this central service is still the one that may commit: only now the batches are
 *       acknowledged.
 * </ol>
 *
 * When a step fails, the server may carry it out later. So before anything else is written, the
 * ordinals of that write are voided for ever, and the batches get new ones.
 */
final class ClickHouseEngine implements StoreEngine {

    private static final Logger LOG = LoggerFactory.getLogger(ClickHouseEngine.class);

    /**
     * Time after the last failed write in which the server counts as not storing: senders try again
     * much earlier. A write that was settled does not end it: other tables may be refused.
     */
    private static final Duration FAILED_LATELY = Duration.ofMinutes(2);

    private final Clock clock;
    private final ClickHouseClient client;
    private final ClickHouseCluster cluster;
    private final RollUpProgress progress;
    private final KnownBatches storedBatches;
    private final ClickHouseDays days;
    private final String run;
    private volatile CommittedRows committed;
    /** The first write that failed for the server's state, since the last that did not. */
    private volatile @Nullable Outage notStoring;

    private final AtomicLong failures = new AtomicLong();

    // Writer thread only.
    private Instant lastFailed = Instant.EPOCH;
    private long nextOrdinal;
    private @Nullable Ordinals undecided;
    private boolean replaced;

    ClickHouseEngine(
            Clock clock,
            ClickHouseClient client,
            ClickHouseCluster cluster,
            RollUpProgress progress,
            KnownBatches storedBatches,
            ClickHouseDays days,
            ClickHouseRecall.Recalled recalled) {
        this.clock = clock;
        this.client = client;
        this.cluster = cluster;
        this.progress = progress;
        this.storedBatches = storedBatches;
        this.days = days;
        this.run = recalled.run();
        this.nextOrdinal = recalled.nextOrdinal();
        this.committed = recalled.rows();
        days.attach(() -> committed, rows -> committed = rows);
    }

    /** Returns the rows that count now. Any thread. */
    CommittedRows committed() {
        return committed;
    }

    /**
     * Returns since when the server responds but does not store; {@code null} when the last write
     * was stored. Any thread.
     */
    @Nullable
    Outage notStoring() {
        return notStoring;
    }

    /** Returns the number of failed writes since the start. */
    long failures() {
        return failures.get();
    }

    @Override
    public void write(List<Batch> batches) throws SQLException {
        try {
            store(batches);
            notStoring = null;
        } catch (SQLException e) {
            failures.incrementAndGet();
            failed(e);
            throw e;
        }
    }

    private void failed(SQLException failure) {
        lastFailed = clock.instant();
        Outage before = notStoring;
        notStoring = isAway(failure)
                ? new Outage(
                        before == null ? clock.instant() : before.since(),
                        String.valueOf(failure.getMessage()))
                : null;
    }

    private void store(List<Batch> batches) throws SQLException {
        settle();
        LocalDate day = today();
        long received = ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant());
        long first = nextOrdinal;
        ClickHouseRows rows = new ClickHouseRows(day);
        ClickHouseRows names = new ClickHouseRows(day);
        CommittedRows.Day all = CommittedRows.Day.EMPTY;
        for (Batch batch : batches) {
            CommittedRows.Day instants = ClickHouseRows.instants(batch);
            all = all.with(1, instants.first(), instants.last());
            rows.add(batch, nextOrdinal);
            names.name(batch, nextOrdinal++, received, instants);
        }
        commit(new Ordinals(first, nextOrdinal - 1), rows, names);
        CommittedRows now = committed.committed(nextOrdinal - 1, day, all);
        progress.lock().writeLock().lock();
        try {
            long ordinal = first;
            for (Batch batch : batches) {
                storedBatches.add(batch.id());
                progress.add(batch, ordinal++);
            }
            committed = now;
        } finally {
            progress.lock().writeLock().unlock();
        }
    }

    private void commit(Ordinals ordinals, ClickHouseRows rows, ClickHouseRows marks)
            throws SQLException {
        undecided = ordinals;
        rows.insert(client);
        marks.insert(client);
        requireNewestRun();
        undecided = null;
    }

    /** Fails if another central service has started with this database since. */
    private void requireNewestRun() throws SQLException {
        cluster.synchronize(ClickHouseTables.RUNS);
        String newest = client.queryPromptly(
                "SELECT name FROM " + ClickHouseTables.RUNS
                        + " ORDER BY number DESC, name DESC LIMIT 1",
                row -> row.next() ? row.text() : "");
        if (!newest.equals(run)) {
            replaced = true;
            refuseIfReplaced();
        }
    }

    private void refuseIfReplaced() throws SQLException {
        if (replaced) {
            throw new SQLException("another central service has taken over " + client.address()
                    + " (expected: one for each database; start this one again to take it back)");
        }
    }

    /** Voids the ordinals of a write of which it is not known how far it went. */
    private void settle() throws SQLException {
        refuseIfReplaced();
        Ordinals open = undecided;
        if (open != null) {
            ClickHouseRows rows = new ClickHouseRows(today());
            rows.voided(open);
            rows.insert(client);
            committed = committed.without(open);
            undecided = null;
        }
    }

    private LocalDate today() {
        return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    }

    /** Voids a write whose connection broke. A single server that hangs would hang again. */
    @Override
    public boolean recover(Exception failure) {
        if (!(failure instanceof ClickHouseException known)
                || known.outcome() != ClickHouseException.Outcome.UNKNOWN
                || (known.isTimeout() && !cluster.isCluster())) {
            return false;
        }
        try {
            settle();
            return true;
        } catch (SQLException e) {
            LOG.debug("Store: ClickHouse does not answer yet: {}", e.getMessage());
            return false;
        }
    }

    @Override
    public boolean isAway(Exception failure) {
        return replaced || (failure instanceof ClickHouseException known && known.isAway());
    }

    @Override
    public void rollUp() throws SQLException {
        // An open write is settled now, also when no batch comes any more.
        if (!progress.isEmpty() || (undecided != null && !replaced)) {
            settle();
        }
        if (!replaced && clock.instant().isAfter(lastFailed.plus(FAILED_LATELY))) {
            notStoring = null;
        }
        if (!progress.isEmpty()) {
            progress.write(this::writeRollUps);
        }
    }

    private void writeRollUps(
            List<RollUps.Piece<ServiceWindow>> services,
            List<RollUps.Piece<ProxyWindow>> proxies,
            long lastOrdinal)
            throws SQLException {
        LocalDate day = today();
        long ordinal = nextOrdinal++;
        long key = ordinal << Rows.KEY_BITS;
        CommittedRows.Day instants = CommittedRows.Day.EMPTY;
        ClickHouseRows rows = new ClickHouseRows(day);
        for (RollUps.Piece<ServiceWindow> piece : services) {
            rows.rollUp(Rows.SERVICE_WINDOW, progress.serviceSum(), piece, key++);
            instants = with(instants, piece.part().window().fromMicros());
        }
        for (RollUps.Piece<ProxyWindow> piece : proxies) {
            rows.rollUp(Rows.PROXY_WINDOW, progress.proxySum(), piece, key++);
            instants = with(instants, piece.part().window().fromMicros());
        }
        ClickHouseRows mark = new ClickHouseRows(day);
        mark.rolled(ordinal, lastOrdinal, instants);
        commit(new Ordinals(ordinal, ordinal), rows, mark);
        committed = committed.rolledUp(ordinal, day, instants);
    }

    private static CommittedRows.Day with(CommittedRows.Day day, long instant) {
        return day.with(1, instant, instant);
    }

    @Override
    public void sweep() {
        if (!replaced) {
            days.sweep(today());
        }
    }

    @Override
    public void makeRoom(long wanted) {
        // The days are on the server's disk, not on that of this service.
    }

    @Override
    public void close() {
        client.close();
    }
}
