package dev.komainu.central.ingest;

import dev.komainu.central.access.Caller;
import dev.komainu.central.access.ReportingBounds;
import dev.komainu.central.ingest.SourceCredentials.Credential;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;

/**
 * The sender of a batch.
 *
 * @param credential the token, part or user that sent it
 * @param bounds names in which it may report; absent: all
 * @param kind kind of the credential; absent: a session
 * @param address address of the sender; absent: not known
 */
record Sender(
        String credential,
        @Nullable ReportingBounds bounds,
        @Nullable Credential kind,
        @Nullable String address) {

    /** Returns the sender of a request from its authentication; absent: a request without one. */
    static Sender of(@Nullable Principal principal) {
        return principal instanceof Authentication known
                        && known.getPrincipal() instanceof Caller caller
                ? new Sender(
                        caller.name(),
                        caller.reportingBounds(),
                        kind(caller),
                        caller.origin().address())
                : new Sender("", null, null, null);
    }

    private static @Nullable Credential kind(Caller caller) {
        return switch (caller.kind()) {
            case PART -> Credential.CERTIFICATE;
            case TOKEN ->
                caller.reportingBounds() == null ? Credential.SHARED_TOKEN : Credential.TOKEN;
            case SESSION -> null;
        };
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
