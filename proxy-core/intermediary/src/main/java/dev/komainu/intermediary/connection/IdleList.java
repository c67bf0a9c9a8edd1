package dev.komainu.intermediary.connection;

import java.util.concurrent.atomic.AtomicLong;

/**
 * One loop's idle connections of one side, the longest idle first: DRM's time scheduling list
 * (section 3.2). Appending on becoming idle, removing on reuse ({@link DeadlineList#remove}) and
 * finding the oldest take constant time.
 *
 * <p>How long they stay is one time for all of them at each moment, not one that each takes along:
 * it grows while resources are plentiful and shrinks when they are not, and the order is that of
 * age throughout. A time made shorter by a reload counts from the reload on.
 *
 * <p>A member may decline to be closed, by waiting anew: it is not idle after all.
 *
 * <p>One event loop owns it; {@link #oldestAgeNanos} is for all threads.
 */
public final class IdleList {

    /** Members that decline are passed over, but not without end. */
    private static final int MAX_DECLINED = 64;

    private static final long NONE = Long.MIN_VALUE;

    private final ConnectionSide side;
    private final IdleCounts counts;
    /** Due the moment they are appended: that moment is since when they are idle. */
    private final DeadlineList members = new DeadlineList(0);

    private long timeNanos;
    private long formerNanos;
    private long formerUntilNanos;
    /**
     * Since when the oldest is idle, as of the last {@link #publish}. Written without a fence:
     * being late does no harm.
     */
    private final AtomicLong oldestSinceNanos = new AtomicLong(NONE);

    /** @param timeNanos how long its members stay at least */
    public IdleList(ConnectionSide side, long timeNanos, long nowNanos, IdleCounts counts) {
        this.side = side;
        this.timeNanos = timeNanos;
        this.formerUntilNanos = nowNanos;
        this.counts = counts;
    }

    /** It is idle from now on. */
    public void append(DeadlineList.Entry member, long nowNanos) {
        boolean isOldest = isEmpty();
        members.append(member, nowNanos);
        if (isOldest) {
            publish();
        }
    }

    /**
     * They stay so long from now on: nobody whose time this shortens leaves before it has passed
     * once more.
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
     * Closes who was idle for too long, so many at most.
     *
     * @param grownNanos how long they may stay now when that is more than the time that was set
     * @return whether others are due
     */
    public boolean expire(long nowNanos, long grownNanos, int most) {
        return close(
                nowNanos - Math.max(inForceNanos(nowNanos), grownNanos), most, CloseReason.TIME);
    }

    /** Closes who is idle since then or longer, so many at most. @return whether others are left */
    public boolean close(long sinceNanos, int most, CloseReason reason) {
        for (int left = most; !isEmpty() && members.oldestDueNanos() - sinceNanos <= 0; left--) {
            if (left == 0) {
                return true;
            }
            closeFirst(reason);
        }
        return false;
    }

    /** Closes the one that is idle for longest. @return whether there was one */
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

    /** Lets everybody know how old its oldest is; several times a second. */
    public void publish() {
        oldestSinceNanos.lazySet(isEmpty() ? NONE : members.oldestDueNanos());
    }

    /** How long the oldest is idle, a moment ago; -1 when nobody was. Any thread. */
    public long oldestAgeNanos(long nowNanos) {
        long since = oldestSinceNanos.get();
        return since == NONE ? -1 : Math.max(0, nowNanos - since);
    }

    /**
     * Writes how long its oldest members are idle, from {@code at} on. @return behind the last one
     * written
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

    /** Adds each member to its class of age: below the first bound, …, beyond the last. */
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
