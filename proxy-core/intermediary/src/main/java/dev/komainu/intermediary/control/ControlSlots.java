package dev.komainu.intermediary.control;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * The requests that are being served, in all and per client address. Requests with a token have
 * slots of their own: clients without one, which may read on loopback, cannot take them. Owned by
 * the event loop.
 */
final class ControlSlots {

    private record Caller(InetAddress address, boolean hasToken) {}

    private final int perAddress;
    private final int inAll;
    private final Map<Caller, Integer> taken = new HashMap<>();
    private int withToken;
    private int withoutToken;

    ControlSlots(ControlLimits limits) {
        perAddress = limits.perAddress();
        inAll = limits.inAll();
    }

    /** Takes a slot; false when there is none. */
    boolean take(InetAddress address, boolean hasToken) {
        Caller caller = new Caller(address, hasToken);
        int before = taken.getOrDefault(caller, 0);
        if (before == perAddress || (hasToken ? withToken : withoutToken) == inAll) {
            return false;
        }
        taken.put(caller, before + 1);
        count(hasToken, 1);
        return true;
    }

    void give(InetAddress address, boolean hasToken) {
        taken.computeIfPresent(
                new Caller(address, hasToken), (caller, count) -> count == 1 ? null : count - 1);
        count(hasToken, -1);
    }

    private void count(boolean hasToken, int change) {
        if (hasToken) {
            withToken += change;
        } else {
            withoutToken += change;
        }
    }
}
