package dev.komainu.organizer.member;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jgroups.Address;

/**
 * The members that joined the view and have sent no message since. Their silence is no sign of a
 * fault yet: before its first message to each other member a new one performs handshakes with all
 * of them, and on few processors that takes longer than the detection time. After its first message
 * a member is judged like all others.
 *
 * <p>Thread-safe.
 */
final class NewMembers {

    static final long EXCUSED_MILLIS = 5_000;

    private final LongSupplier nanoClock;
    private final Map<Address, Long> silentSinceNanos = new ConcurrentHashMap<>();

    /**
     * Creates an empty set.
     *
     * @param nanoClock monotonic
     */
    NewMembers(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /**
     * Updates the view.
     *
     * @param known accepts the members of the view before, and this member itself
     */
    void view(Collection<Address> members, Predicate<Address> known) {
        silentSinceNanos.keySet().retainAll(members);
        for (Address member : members) {
            if (!known.test(member)) {
                silentSinceNanos.putIfAbsent(member, nanoClock.getAsLong());
            }
        }
    }

    void received(Address member) {
        silentSinceNanos.remove(member);
    }

    boolean isExcused(Address member) {
        Long since = silentSinceNanos.get(member);
        return since != null
                && nanoClock.getAsLong() - since < TimeUnit.MILLISECONDS.toNanos(EXCUSED_MILLIS);
    }
}
