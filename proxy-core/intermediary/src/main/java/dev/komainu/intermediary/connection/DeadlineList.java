package dev.komainu.intermediary.connection;

import java.util.Objects;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A time-scheduled list (DRM 3.2): entries that wait equally long, oldest first. Appending,
 * removing and reading the oldest take constant time. No connection needs its own timer: one sweep
 * per loop checks the head of the list.
 *
 * <p>One event loop owns it.
 */
public final class DeadlineList {

    private static final Logger LOG = LoggerFactory.getLogger(DeadlineList.class);

    /** An entry with a deadline. It is in at most one list at a time. */
    public abstract static class Entry {
        private @Nullable DeadlineList list;
        private @Nullable Entry older;
        private @Nullable Entry younger;
        private long dueNanos;

        /**
         * Called when the deadline has passed; the entry was removed from its list. An exception is
         * logged and does not keep other entries from their deadlines.
         */
        protected abstract void expired();

        public final boolean isWaiting() {
            return list != null;
        }
    }

    private final long waitNanos;
    private @Nullable Entry oldest;
    private @Nullable Entry youngest;
    private int size;

    /**
     * Creates an empty list.
     *
     * @param waitNanos time that each entry may wait
     */
    public DeadlineList(long waitNanos) {
        this.waitNanos = waitNanos;
    }

    /** Starts the wait of an entry again, from any list that it was in. */
    public void append(Entry member, long nowNanos) {
        remove(member);
        member.list = this;
        member.dueNanos = nowNanos + waitNanos;
        member.older = youngest;
        if (youngest == null) {
            oldest = member;
        } else {
            youngest.younger = member;
        }
        youngest = member;
        size++;
    }

    /** Removes an entry from its list; does nothing when it is in none. */
    public static void remove(Entry member) {
        DeadlineList list = member.list;
        if (list == null) {
            return;
        }
        Entry older = member.older;
        Entry younger = member.younger;
        if (older == null) {
            list.oldest = younger;
        } else {
            older.younger = younger;
        }
        if (younger == null) {
            list.youngest = older;
        } else {
            younger.older = older;
        }
        member.list = null;
        member.older = null;
        member.younger = null;
        list.size--;
    }

    /** Expires each entry whose deadline has passed. */
    public void expire(long nowNanos) {
        expire(nowNanos, Integer.MAX_VALUE);
    }

    /**
     * Expires entries whose deadline has passed, at most {@code most}.
     *
     * @return true when more entries are due
     */
    public boolean expire(long nowNanos, int most) {
        Entry first = oldest;
        for (int remaining = most;
                first != null && first.dueNanos - nowNanos <= 0;
                first = oldest) {
            if (remaining-- == 0) {
                return true;
            }
            remove(first);
            try {
                first.expired();
            } catch (RuntimeException e) {
                LOG.error("The handling of a timeout failed", e);
            }
        }
        return false;
    }

    /** Passes the deadlines to {@code condition}, oldest first, until it returns false. */
    void forEachDue(LongPredicate condition) {
        Entry member = oldest;
        while (member != null && condition.test(member.dueNanos)) {
            member = member.younger;
        }
    }

    /** Returns the deadline of the oldest entry. Not for an empty list. */
    long oldestDueNanos() {
        return Objects.requireNonNull(oldest).dueNanos;
    }

    long waitNanos() {
        return waitNanos;
    }

    /** Returns the oldest entry; absent when the list is empty. */
    public @Nullable Entry oldest() {
        return oldest;
    }

    public int size() {
        return size;
    }
}
