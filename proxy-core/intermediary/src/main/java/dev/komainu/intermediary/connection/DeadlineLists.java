package dev.komainu.intermediary.connection;

import java.util.ArrayList;
import java.util.List;

/**
 * The lists of one kind of waiting whose time may be set anew: one for each time that was ever in
 * force, because members of one list must wait equally long. What waits keeps its time; whoever
 * took a list with it, for a request under way, may go on using it. Lists are a few words each and
 * are not given up.
 *
 * <p>One event loop owns it.
 */
public final class DeadlineLists {

    private final List<DeadlineList> all = new ArrayList<>(1);
    private DeadlineList current;

    /** @param waitNanos how long each member may wait */
    public DeadlineLists(long waitNanos) {
        current = new DeadlineList(waitNanos);
        all.add(current);
    }

    /** Where to wait as long as is now in force. */
    public DeadlineList current() {
        return current;
    }

    /** From now on newcomers may wait so long. */
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

    /** Lets every member go whose time has come. */
    public void expire(long nowNanos) {
        expire(nowNanos, Integer.MAX_VALUE);
    }

    /** Likewise, but so many of each list at most. @return whether others are due */
    public boolean expire(long nowNanos, int most) {
        boolean more = false;
        // By index: what follows from an expiry may wait anew.
        for (int i = 0; i < all.size(); i++) {
            more |= all.get(i).expire(nowNanos, most);
        }
        return more;
    }

    public int size() {
        int size = 0;
        for (DeadlineList list : all) {
            size += list.size();
        }
        return size;
    }
}
