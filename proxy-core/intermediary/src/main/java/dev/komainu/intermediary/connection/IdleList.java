package dev.komainu.intermediary.connection;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The idle connections of one loop and one side, the longest idle first: DRM's time scheduling list
 * (section 3.2). Appending when a connection becomes idle, removing on reuse
 * ({@link DeadlineList#remove}) and finding the oldest take constant time.
 *
 * <p>The idle time is the same for all entries at each moment; it is not fixed per entry. It grows
 * while resources are plentiful and shrinks when they are not, and the order remains that of age. A
 * time that a reload shortens counts from the reload on.
 *
 * <p>An entry may refuse to be closed by starting its wait again: it is not idle then.
 *
 * <p>One event loop owns it; {@link #oldestAgeNanos} is for all threads.
 */
public final class IdleList {

    /** Entries that refuse to be closed and are skipped, at most. */
    private static final int MAX_DECLINED = 64;

    private static final long NONE = Long.MIN_VALUE;

    private final ConnectionSide side;
    private final IdleCounts counts;
    /**
     * Entries are due when they are appended: the deadline is the moment since which they are idle.
     */
    private final DeadlineList members = new DeadlineList(0);

    private long timeNanos;
    private long formerNanos;
    private long formerUntilNanos;
    /**
     * The moment since which the oldest is idle, as of the last {@link #publish}. Written without a
     * fence: a late value does no harm.
     */
    private final AtomicLong oldestSinceNanos = new AtomicLong(NONE);

    /**
     * Creates an empty list.
     *
     * @param timeNanos idle time, at least
     */
    public IdleList(ConnectionSide side, long timeNanos, long nowNanos, IdleCounts counts) {
        this.side = side;
        this.timeNanos = timeNanos;
        this.formerUntilNanos = nowNanos;
        this.counts = counts;
    }

    /** Adds a connection that is idle from now on. */
    public void append(DeadlineList.Entry member, long nowNanos) {
        boolean isOldest = isEmpty();
        members.append(member, nowNanos);
        if (isOldest) {
            publish();
        }
    }

    /**
     * Sets the idle time. When it becomes shorter, no connection expires before the new time has
     * passed once.
     */
    public void set(long nanos, long nowNanos) {
        formerNanos = inForceNanos(nowNanos);
        formerUntilNanos = nowNanos + nanos;
        timeNanos = nanos;
    }

    private long inForceNanos(long nowNanos) {
        return formerUntilNanos - nowNanos > 0 ? Math.max(timeNanos, formerNanos) : timeNanos;
    }

    /**
     * Closes connections that were idle for too long, at most {@code most}.
     *
     * @param grownNanos the present idle time when it is longer than the configured one
     * @return true when more connections are due
     */
    public boolean expire(long nowNanos, long grownNanos, int most) {
        return close(
                nowNanos - Math.max(inForceNanos(nowNanos), grownNanos), most, CloseReason.TIME);
    }

    /**
     * Closes connections that are idle since {@code sinceNanos} or longer, at most {@code most}.
     *
     * @return true when more such connections are left
     */
    public boolean close(long sinceNanos, int most, CloseReason reason) {
        for (int remaining = most;
                !isEmpty() && members.oldestDueNanos() - sinceNanos <= 0;
                remaining--) {
            if (remaining == 0) {
                return true;
            }
            closeFirst(reason);
        }
        return false;
    }

    /**
     * Closes the connection that is idle for the longest time.
     *
     * @return true when there was one
     */
    public boolean closeOldest(CloseReason reason) {
        boolean closed = false;
        for (int tries = 0; tries < MAX_DECLINED && !isEmpty() && !closed; tries++) {
            closed = closeFirst(reason);
        }
        publish();
        return closed;
    }

    private boolean closeFirst(CloseReason reason) {
        DeadlineList.Entry first = members.oldest();
        if (first == null) {
            return false;
        }
        DeadlineList.remove(first);
        first.expired();
        boolean closed = !first.isWaiting();
        if (closed) {
            counts.closed(side, reason);
        }
        return closed;
    }

    public boolean isEmpty() {
        return members.size() == 0;
    }

    public int size() {
        return members.size();
    }

    /** Publishes the age of the oldest entry to other threads. Called several times a second. */
    public void publish() {
        oldestSinceNanos.lazySet(isEmpty() ? NONE : members.oldestDueNanos());
    }

    /**
     * Returns the idle time of the oldest entry as of the last publication; -1 when there was none.
     * Any thread.
     */
    public long oldestAgeNanos(long nowNanos) {
        long since = oldestSinceNanos.get();
        return since == NONE ? -1 : Math.max(0, nowNanos - since);
    }

    /**
     * Writes the idle times of the oldest entries, in nanoseconds, from index {@code index} on.
     *
     * @return the index behind the last one written
     */
    public int oldestAges(long nowNanos, long[] into, int index, int most) {
        int[] next = {index};
        int end = Math.min(into.length, index + most);
        members.forEachDue(since -> {
            if (next[0] == end) {
                return false;
            }
            into[next[0]++] = Math.max(0, nowNanos - since);
            return true;
        });
        return next[0];
    }

    /**
     * Adds each entry to its class of age; class i is below {@code boundsNanos[i]}, the last class
     * is above all bounds.
     */
    public void countAges(long nowNanos, long[] boundsNanos, int[] classes) {
        members.forEachDue(since -> {
            long age = nowNanos - since;
            int index = 0;
            while (index < boundsNanos.length && age >= boundsNanos[index]) {
                index++;
            }
            classes[index]++;
            return true;
        });
    }
}
