package dev.komainu.central.control;

import com.zaxxer.hikari.SQLExceptionOverride;
import dev.komainu.central.room.RoomState;
import dev.komainu.central.room.WatchedPlace;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The room on PostgreSQL's disk: a table of random bytes, {@value #TABLE}, which is dropped when a
 * statement fails with <i>disk full</i>, so that others find room.
 *
 * <p>A drop needs no room: its rows of the catalogue are marked, and the files are cut off at the
 * commit. The table is unlogged, so it is neither in the write-ahead log nor on standbys; and a
 * server that crashed because it could not write its log empties the table before it starts, and
 * has room.
 *
 * <p>The free bytes are the server's matter and not known here. So the reserve is tried again,
 * after 5 s at first and up to a minute at last.
 */
final class ServerRoom implements WatchedPlace {

    static final String TABLE = "room_reserve";

    static final String PLACE = "postgresql";

    /** The SQL state of a statement that found no space on the disk. */
    private static final String DISK_FULL = "53100";

    private static final Logger LOG = LoggerFactory.getLogger(ServerRoom.class);
    private static final int PIECE = 1 << 20;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    /** Time between two looks at the table, which a crash of the server empties. */
    private static final Duration CHECK = Duration.ofSeconds(10);

    private final @Nullable DataSource source;
    private final long bytes;
    private final LongSupplier nanos;
    private volatile @Nullable RoomState state;
    /** True when a statement failed after the newest check. */
    private volatile boolean failed;

    // The checking thread only.
    private boolean held;
    private Duration pause = FIRST_PAUSE;
    private @Nullable Long nextNanos;

    /**
     * Creates it.
     *
     * @param source the server's database; absent: control data are on H2, and there is nothing to
     *     check
     */
    ServerRoom(@Nullable DataSource source, long bytes, LongSupplier nanos) {
        this.source = source;
        this.bytes = bytes;
        this.nanos = nanos;
    }

    @Override
    public String name() {
        return PLACE;
    }

    @Override
    public @Nullable RoomState state() {
        return state;
    }

    /** Returns the listener of failures of all statements of a pool. */
    SQLExceptionOverride failures() {
        return new Failures();
    }

    /** The listener of the pool, which changes nothing. Any thread. */
    private final class Failures implements SQLExceptionOverride {
        @java.lang.Override // the interface has an Override of its own
        public SQLExceptionOverride.Override adjudicate(SQLException failure) {
            if (DISK_FULL.equals(failure.getSQLState())) {
                failed = true;
            }
            return SQLExceptionOverride.Override.CONTINUE_EVICT;
        }
    }

    @Override
    public void check() {
        DataSource database = source;
        if (database == null) {
            return;
        }
        boolean giveBack = failed;
        long now = nanos.getAsLong();
        Long next = nextNanos;
        if (!giveBack && next != null && now - next < 0) {
            return;
        }
        failed = false;
        try (Connection connection = database.getConnection()) {
            if (giveBack) {
                giveBack(connection);
            } else {
                hold(connection);
            }
        } catch (SQLException e) {
            // An outage is told by ControlConnections, and no want of room.
            LOG.debug("Room of PostgreSQL is not known: {}", e.toString());
            failed |= giveBack;
            again(now);
        }
    }

    private void again(long now) {
        nextNanos = now + pause.toNanos();
        pause = pause.multipliedBy(2);
        pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }

    private void giveBack(Connection connection) throws SQLException {
        drop(connection);
        if (held) {
            LOG.warn(
                    "Room: PostgreSQL has no space on its disk; the table {} of {} MB was dropped",
                    TABLE,
                    bytes >> 20);
        }
        held = false;
        become(true);
        pause = FIRST_PAUSE;
        again(nanos.getAsLong());
    }

    private void hold(Connection connection) throws SQLException {
        try {
            if (size(connection) < bytes) {
                drop(connection);
                fill(connection);
            }
            if (!held && state != null) {
                LOG.info("Room: PostgreSQL has space on its disk again");
            }
            held = true;
            pause = FIRST_PAUSE;
            nextNanos = nanos.getAsLong() + CHECK.toNanos();
            become(false);
        } catch (SQLException e) {
            ControlDataFailure failure = ControlDataFailure.of(e);
            boolean noSpace = failure == ControlDataFailure.FULL;
            if (noSpace) {
                drop(connection);
                held = false;
                become(true);
            } else if (!failure.isOutage() && state == null) {
                LOG.warn("Room: no reserve on PostgreSQL: {}", e.getMessage());
            }
            again(nanos.getAsLong());
        }
    }

    private void become(boolean full) {
        state = new RoomState(PLACE, -1, bytes, full, false, !full);
    }

    /** Returns the bytes of the table; 0 when there is none. */
    private static long size(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select coalesce(pg_table_size(to_regclass('" + TABLE + "')), 0)")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void drop(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // A dump of the database holds a lock on each table.
            statement.execute("set lock_timeout = '5s'");
            statement.execute("drop table if exists " + TABLE);
        }
    }

    private void fill(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement();
                PreparedStatement insert =
                        connection.prepareStatement("insert into " + TABLE + " values (?)")) {
            statement.execute("create unlogged table " + TABLE + " (filler bytea)");
            statement.execute("alter table " + TABLE + " alter column filler set storage external");
            byte[] random = new byte[PIECE];
            new SplittableRandom().nextBytes(random);
            for (long at = 0; at < bytes; at += PIECE) {
                insert.setBytes(1, random);
                insert.executeUpdate();
            }
            connection.commit();
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }
}
