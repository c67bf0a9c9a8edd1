package dev.komainu.organizer.member;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jgroups.Address;

/**
 * Who has come into the view and not said a word since. His silence means nothing yet: before his
 * first word to each of the others he has to shake hands with all of them, and on few processors
 * that takes longer than a crash is to be seen in. One who was heard once is judged as everybody.
 *
 * <p>Safe for all threads.
 */
final class NewMembers {

    static final long EXCUSED_MILLIS = 5_000;

    private final LongSupplier nanoClock;
    private final Map<Address, Long> silentSinceNanos = new ConcurrentHashMap<>();

    /** @param nanoClock monotonic */
    NewMembers(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** @param known who was in the view before, and this member itself */
    void view(Collection<Address> members, Predicate<Address> known) {
        silentSinceNanos.keySet().retainAll(members);
        for (Address member : members) {
            if (!known.test(member)) {
                silentSinceNanos.putIfAbsent(member, nanoClock.getAsLong());
            }
        }
    }

    void heard(Address member) {
        silentSinceNanos.remove(member);
    }

    boolean isExcused(Address member) {
        Long since = silentSinceNanos.get(member);
        return since != null
                && nanoClock.getAsLong() - since < TimeUnit.MILLISECONDS.toNanos(EXCUSED_MILLIS);
    }
}
