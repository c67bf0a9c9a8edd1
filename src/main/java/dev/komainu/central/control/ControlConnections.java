package dev.komainu.central.control;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * The pool of connections to PostgreSQL, which refuses at once while the server is away. Without it
 * each request would wait for the pool's limit, and requests would pile up. After a failure one
 * thread at a time tries again, every two seconds. Any thread.
 */
public final class ControlConnections extends DelegatingDataSource {

    private static final Logger LOG = LoggerFactory.getLogger(ControlConnections.class);

    /** Time after a failed attempt in which no thread tries again. */
    static final Duration PAUSE = Duration.ofSeconds(2);

    private final LongSupplier nanos;
    private final AtomicReference<@Nullable Outage> outage = new AtomicReference<>();
    /** True after the first connection: a start that fails is told elsewhere. */
    private volatile boolean worked;
    /** True while a thread tries to end the outage. */
    private final AtomicBoolean trying = new AtomicBoolean();

    /**
     * A time without the server.
     *
     * @param againNanos time of the next attempt
     */
    private record Outage(long sinceNanos, long againNanos, SQLException cause) {}

    public ControlConnections(DataSource pool) {
        this(pool, System::nanoTime);
    }

    ControlConnections(DataSource pool, LongSupplier nanos) {
        super(pool);
        this.nanos = nanos;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Outage known = outage.get();
        if (known == null) {
            return opened();
        }
        if (nanos.getAsLong() - known.againNanos() < 0 || !trying.compareAndSet(false, true)) {
            throw new SQLTransientConnectionException(
                    "The database of control data "
                            + ControlDataFailure.of(known.cause()).text(),
                    known.cause().getSQLState(),
                    known.cause());
        }
        try {
            return opened();
        } finally {
            trying.set(false);
        }
    }

    private Connection opened() throws SQLException {
        try {
            Connection connection = super.getConnection();
            worked = true;
            Outage over = outage.getAndSet(null);
            if (over != null) {
                LOG.info(
                        "The database of control data responds again, after {} s",
                        Duration.ofNanos(nanos.getAsLong() - over.sinceNanos()).toSeconds());
            }
            return connection;
        } catch (SQLException e) {
            failed(e);
            throw e;
        }
    }

    private void failed(SQLException e) {
        ControlDataFailure failure = ControlDataFailure.of(e);
        if (!failure.isOutage()) {
            return;
        }
        long now = nanos.getAsLong();
        Outage before = outage.getAndUpdate(known ->
                new Outage(known == null ? now : known.sinceNanos(), now + PAUSE.toNanos(), e));
        if (before == null && worked) {
            LOG.warn(
                    "The database of control data {}: {}. Telemetry is stored and judged as before",
                    failure.text(),
                    e.getMessage());
        }
    }

    /** Reports whether the server is away. */
    public boolean isAway() {
        return outage.get() != null;
    }
}
