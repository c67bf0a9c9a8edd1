package dev.komainu.intermediary.connection;

import java.util.Objects;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A time-scheduled list (DRM 3.2): everything that waits equally long, oldest first. Appending,
 * removing and asking for the oldest take constant time, and no timer exists per connection: one
 * sweep per loop looks at the head of the list.
 *
 * <p>One event loop owns it.
 */
public final class DeadlineList {

    /** Something that may wait. It is in at most one list at a time. */
    public abstract static class Entry {
        private @Nullable DeadlineList list;
        private @Nullable Entry older;
        private @Nullable Entry younger;
        private long dueNanos;

        /** It waited too long; it has been removed from its list. */
        protected abstract void expired();

        public final boolean isWaiting() {
            return list != null;
        }
    }

    private final long waitNanos;
    private @Nullable Entry oldest;
    private @Nullable Entry youngest;
    private int size;

    /** @param waitNanos how long each member may wait */
    public DeadlineList(long waitNanos) {
        this.waitNanos = waitNanos;
    }

    /** Begins to wait anew, from wherever it waited before. */
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

    /** Ends waiting, in whichever list; nothing happens when it does not wait. */
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

    /** Lets every member go whose time has come. */
    public void expire(long nowNanos) {
        expire(nowNanos, Integer.MAX_VALUE);
    }

    /** Likewise, but so many at most. @return whether others are due */
    public boolean expire(long nowNanos, int most) {
        Entry first = oldest;
        for (int remaining = most; first != null && first.dueNanos - nowNanos <= 0; first = oldest) {
            if (remaining-- == 0) {
                return true;
            }
            remove(first);
            first.expired();
        }
        return false;
    }

    /** Tells when each is due, the oldest first, until it is told that this is enough. */
    void forEachDue(LongPredicate condition) {
        Entry member = oldest;
        while (member != null && condition.test(member.dueNanos)) {
            member = member.younger;
        }
    }

    /** When the oldest is due. Not for an empty list. */
    long oldestDueNanos() {
        return Objects.requireNonNull(oldest).dueNanos;
    }

    long waitNanos() {
        return waitNanos;
    }

    public @Nullable Entry oldest() {
        return oldest;
    }

    public int size() {
        return size;
    }
}
