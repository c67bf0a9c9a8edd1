package dev.komainu.intermediary.connection;

import java.util.ArrayList;
import java.util.List;

/**
 * The lists of one kind of wait whose time can be reset: one list for each time that was ever in
 * force, because entries of one list must wait equally long. Entries keep the time they began with.
 * A request may keep using the list that it began with. A list takes a few words and is never
 * removed.
 *
 * <p>One event loop owns it.
 */
public final class DeadlineLists {

    private final List<DeadlineList> all = new ArrayList<>(1);
    private DeadlineList current;

    /**
     * Creates lists for one time.
     *
     * @param waitNanos time that each entry may wait
     */
    public DeadlineLists(long waitNanos) {
        current = new DeadlineList(waitNanos);
        all.add(current);
    }

    /** Returns the list for the time now in force. */
    public DeadlineList current() {
        return current;
    }

    /** Sets the time of entries that begin to wait from now on. */
    public void set(long waitNanos) {
        for (DeadlineList known : all) {
            if (known.waitNanos() == waitNanos) {
                current = known;
                return;
            }
        }
        current = new DeadlineList(waitNanos);
        all.add(current);
    }

    /** Expires each entry whose deadline has passed. */
    public void expire(long nowNanos) {
        expire(nowNanos, Integer.MAX_VALUE);
    }

    /**
     * Expires entries whose deadline has passed, at most {@code most} of each list.
     *
     * @return true when more entries are due
     */
    public boolean expire(long nowNanos, int most) {
        boolean more = false;
        // By index: an expired entry may begin to wait again, in a new list.
        for (int i = 0; i < all.size(); i++) {
            more |= all.get(i).expire(nowNanos, most);
        }
        return more;
    }

    /** Returns the number of entries in all lists. */
    public int size() {
        int size = 0;
        for (DeadlineList list : all) {
            size += list.size();
        }
        return size;
    }
}
