package dev.komainu.central.lease;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of this process: waits for it, renews it every second, and tells its end. Its thread
 * uses one connection of its own, which the pool's users cannot exhaust.
 *
 * <p>While the database is away, the holder keeps the lease: no other centre can take it. Who waits
 * takes it only after it has seen the database for one whole time of the lease, so that the holder
 * renews first when the database comes back for all at once.
 */
public final class LeaseKeeper implements AutoCloseable {

    /** SQLSTATE of a write with an older epoch; class KM is used by no standard. */
    public static final String OLDER_EPOCH = "KM001";

    /** Time after which a lease that is not renewed can be taken. */
    static final Duration TIME = Duration.ofSeconds(5);

    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

    private final DataSource source;
    private final LeaseTable.Claim claim;
    private final Duration time;
    private final LongSupplier nanos;

    /** Only the thread that waits or renews. */
    private @Nullable Connection connection;

    /** Time since which the database responds without a gap; only the thread that waits. */
    private long respondsSince;

    private volatile Lease seen = Lease.NONE;
    private volatile long epoch;
    private volatile boolean over;
    private volatile boolean closed;
    private volatile @Nullable Thread thread;
    /** Guarded by this. */
    private @Nullable Runnable atEnd;

    /**
     * Creates a keeper.
     *
     * @param holder name of this centre, the same after a restart; another centre has another one
     * @param address URL at which other centres reach this one; empty: none
     */
    public LeaseKeeper(DataSource source, String holder, String address) {
        this(source, holder, address, TIME, System::nanoTime);
    }

    LeaseKeeper(
            DataSource source, String holder, String address, Duration time, LongSupplier nanos) {
        this.source = source;
        this.claim = new LeaseTable.Claim(holder, address, newSecret());
        this.time = time;
        this.nanos = nanos;
        this.respondsSince = nanos.getAsLong();
    }

    private static String newSecret() {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /**
     * Tries once to take the lease.
     *
     * @return whether this process holds it now
     * @throws SQLException when the database does not respond
     */
    public boolean tryTake() throws SQLException {
        try {
            Connection open = opened();
            seen = LeaseTable.read(open);
            boolean mayTake = seen.holder().equals(claim.holder())
                    || (!seen.held()
                            && (seen.epoch() == 0
                                    || nanos.getAsLong() - respondsSince >= time.toNanos()));
            if (!mayTake) {
                return false;
            }
            OptionalLong taken = LeaseTable.take(open, claim, time);
            if (taken.isEmpty()) {
                return false;
            }
            epoch = taken.getAsLong();
            LOG.info(
                    "This central service judges from now on: epoch {}{}",
                    epoch,
                    seen.epoch() == 0 ? "" : ", after " + seen.holder());
            return true;
        } catch (SQLException e) {
            disconnect();
            respondsSince = nanos.getAsLong();
            throw e;
        }
    }

    /** Reports whether the schema has the lease's table. */
    public boolean isTableThere() throws SQLException {
        try (Connection own = source.getConnection()) {
            return LeaseTable.isThere(own);
        }
    }

    /** Renews from now on, on a thread of its own. */
    public synchronized void keep() {
        thread = Thread.ofPlatform().name("lease").daemon().start(this::renewUntilOver);
    }

    /**
     * Sets what happens when another epoch begins; at once when one has begun.
     *
     * @param then runs once, on the thread that renews or on this one
     */
    public void atEnd(Runnable then) {
        boolean now;
        synchronized (this) {
            now = over;
            atEnd = then;
        }
        if (now) {
            then.run();
        }
    }

    private void end(Lease next) {
        Runnable then;
        synchronized (this) {
            seen = next;
            over = true;
            then = atEnd;
        }
        LOG.warn(
                "The epoch {} of this central service is over: {} judges now, epoch {}",
                epoch,
                next.holder(),
                next.epoch());
        if (then != null) {
            then.run();
        }
    }

    private void renewUntilOver() {
        boolean away = false;
        while (!closed) {
            try {
                Connection open = opened();
                if (!LeaseTable.renew(open, epoch, time)) {
                    end(LeaseTable.read(open));
                    return;
                }
                away = false;
            } catch (SQLException e) {
                disconnect();
                if (!away) {
                    LOG.warn("The lease cannot be renewed now: {}", e.getMessage());
                }
                away = true;
            }
            pause();
        }
    }

    private synchronized void pause() {
        long until = System.nanoTime() + EVERY.toNanos();
        try {
            for (long left = EVERY.toMillis();
                    !closed && left > 0;
                    left = (until - System.nanoTime()) / 1_000_000) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
        }
    }

    private Connection opened() throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = source.getConnection();
            connection = open;
        }
        return open;
    }

    private void disconnect() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                open.close();
            } catch (SQLException e) {
                LOG.debug("The connection of the lease was broken: {}", e.toString());
            }
        }
    }

    /**
     * Puts the fence before the tables; after the schema was migrated.
     *
     * @throws IllegalStateException when the database refuses it
     */
    public void fence() {
        try (Connection own = source.getConnection()) {
            LeaseTable.fence(own);
        } catch (SQLException e) {
            throw new IllegalStateException("The tables cannot be fenced: " + e.getMessage(), e);
        }
    }

    /** Returns the statements with which each connection of this holder begins. */
    public String connectionBegin() {
        return LeaseTable.connectionBegin(epoch);
    }

    /** Returns the epoch that this process took; 0 before. */
    public long epoch() {
        return epoch;
    }

    /** Returns what other centres show to this one. */
    public String secret() {
        return claim.secret();
    }

    /** Reports whether another epoch began. */
    public boolean isOver() {
        return over;
    }

    /** Returns the lease as it was read last. */
    public Lease seen() {
        return seen;
    }

    /** Ends the renewals and the lease, so that another centre takes over at once. */
    @Override
    public void close() {
        Thread renewing;
        synchronized (this) {
            closed = true;
            renewing = thread;
            notifyAll();
        }
        if (renewing != null && renewing != Thread.currentThread()) {
            try {
                renewing.join(TIME);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        if (epoch > 0 && !over) {
            try (Connection own = source.getConnection()) {
                LeaseTable.release(own, epoch);
            } catch (SQLException e) {
                LOG.debug("The lease ends by itself: {}", e.toString());
            }
        }
        disconnect();
    }
}
