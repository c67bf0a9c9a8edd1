package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import dev.komainu.intermediary.connection.ConnectionSide;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.connection.IdleCounts;
import dev.komainu.intermediary.connection.IdleList;
import java.util.concurrent.TimeUnit;

/**
 * One loop's clients that have not sent a byte: mostly connections that browsers open in advance.
 * They count as connections, but are not idle in the sense of {@link IdleList}, whose clients have
 * been served. They are closed first when new clients need room, after a time in which a request
 * would have arrived. Otherwise the head timeout ends them.
 *
 * <p>One event loop owns it.
 */
public final class SilentClients {

    /** The grace time: a lost first segment is sent again after a second (RFC 6298 section 2). */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /**
     * The grace time of a client that waited for admission: its bytes are read in the next turn of
     * the loop.
     */
    private static final long GRACE_AFTER_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final IdleCounts counts;
    private final DeadlineList fresh = new DeadlineList(GRACE_NANOS);
    private final DeadlineList waited = new DeadlineList(GRACE_AFTER_WAIT_NANOS);

    public SilentClients(IdleCounts counts) {
        this.counts = counts;
    }

    /**
     * Adds a client; {@link DeadlineList#remove} when it sends a byte or leaves.
     *
     * @param hasWaited whether it waited for admission, so that it could have sent a request
     */
    public void add(DeadlineList.Entry client, boolean hasWaited, long nowNanos) {
        (hasWaited ? waited : fresh).append(client, nowNanos);
    }

    /**
     * Closes one client whose grace time is over.
     *
     * @return whether there was one
     */
    boolean closeOne(long nowNanos) {
        boolean closed = expireOne(waited, nowNanos) || expireOne(fresh, nowNanos);
        if (closed) {
            counts.closed(ConnectionSide.CLIENT, CloseReason.NEWCOMER);
        }
        return closed;
    }

    private static boolean expireOne(DeadlineList list, long nowNanos) {
        int before = list.size();
        list.expire(nowNanos, 1);
        return list.size() < before;
    }

    boolean isEmpty() {
        return fresh.size() + waited.size() == 0;
    }
}
