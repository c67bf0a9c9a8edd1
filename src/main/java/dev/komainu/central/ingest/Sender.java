package dev.komainu.central.ingest;

import dev.komainu.central.access.Caller;
import dev.komainu.central.access.ReportingBounds;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;

/**
 * The sender of a batch.
 *
 * @param credential the token or user that sent it
 * @param bounds names in which it may report; absent: all
 */
record Sender(String credential, @Nullable ReportingBounds bounds) {

    /** Returns the sender of a request from its authentication; absent: a request without one. */
    static Sender of(@Nullable Principal principal) {
        return principal instanceof Authentication known
                        && known.getPrincipal() instanceof Caller caller
                ? new Sender(caller.name(), caller.reportingBounds())
                : new Sender("", null);
    }

    /**
     * Reports whether the sender may know the state of a server.
     *
     * @param server its address, as the sender names it: {@code HOST:PORT}, or {@code :PORT} on the
     *     sender's host
     */
    boolean maySee(String server) {
        return bounds == null || bounds.allowsLocalService(server);
    }
}
