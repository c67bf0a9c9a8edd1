package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.IdleCounts;
import dev.komainu.intermediary.connection.IdleList;
import java.util.concurrent.TimeUnit;

/**
 * One loop's clients that have not said a byte: a browser's connections in advance, above all. Each
 * holds a place, though it is not idle in the sense of {@link IdleList}: there a client has been
 * served. They go first when newcomers need places, after a while in which a request would have
 * come. Otherwise their head's time-out ends them.
 *
 * <p>One event loop owns it.
 */
public final class SilentClients {

    /** A lost first segment is sent again after a second (RFC 6298 section 2). */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Who waited for its place had the time: what it said is read in the next turn of the loop. */
    private static final long GRACE_AFTER_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final IdleCounts counts;
    private final DeadlineList fresh = new DeadlineList(GRACE_NANOS);
    private final DeadlineList waited = new DeadlineList(GRACE_AFTER_WAIT_NANOS);

    public SilentClients(IdleCounts counts) {
        this.counts = counts;
    }

    /**
     * One has come; {@link DeadlineList#remove} when it says something or goes.
     *
     * @param hasWaited for a place, so that it could have said something
     */
    public void add(DeadlineList.Entry client, boolean hasWaited, long nowNanos) {
        (hasWaited ? waited : fresh).append(client, nowNanos);
    }

    /** Closes one whose time to say something is over. @return whether there was one */
    boolean closeOne(long nowNanos) {
        boolean closed = expiresOne(waited, nowNanos) || expiresOne(fresh, nowNanos);
        if (closed) {
            counts.closed(ConnectionSide.CLIENT, CloseReason.NEWCOMER);
        }
        return closed;
    }

    private static boolean expiresOne(DeadlineList list, long nowNanos) {
        int before = list.size();
        list.expire(nowNanos, 1);
        return list.size() < before;
    }

    boolean isEmpty() {
        return fresh.size() + waited.size() == 0;
    }
}
