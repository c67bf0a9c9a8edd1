package dev.komainu.proxy.exchange;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Permission of a client's address to use the proxy, decided once for each policy. On the client's
 * event loop.
 */
final class ClientPermission {

    private final InetAddress client;
    /** The policy of the last decision; null before the first one. */
    private @Nullable RequestPolicy decidedBy;

    private boolean given = true;

    ClientPermission(InetAddress client) {
        this.client = client;
    }

    /** Decides by a policy. */
    @SuppressWarnings("ReferenceEquality") // each reload makes a new policy
    boolean isGiven(RequestPolicy policy) {
        if (decidedBy != policy) {
            decidedBy = policy;
            given = policy.clients().permits(client);
        }
        return given;
    }

    /** Returns the last decision; true before the first one. */
    boolean wasGiven() {
        return given;
    }
}
