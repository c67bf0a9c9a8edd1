package dev.komainu.agent;

import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Services whose windows the central service requests by connection, because other sources report
 * them too. A request is repeated with every response; without a response it ends after
 * {@value #EXPIRY_SECONDS} s, so that an outage does not fill the spool with parts. Any thread.
 */
final class DetailedServices {

    static final int EXPIRY_SECONDS = 60;

    /** Services that may be requested; more would be an error of the central service. */
    static final int MOST = 256;

    private record Request(Set<String> services, long nanos) {}

    private final LongSupplier nanos;
    private volatile Request last = new Request(Set.of(), 0);

    DetailedServices(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Replaces the requested services; more than {@value #MOST} are not accepted. */
    void request(Set<String> services) {
        last = new Request(services.size() > MOST ? Set.of() : services, nanos.getAsLong());
    }

    /** Returns the services requested now. */
    Set<String> services() {
        Request request = last;
        return request.services().isEmpty()
                        || nanos.getAsLong() - request.nanos() > EXPIRY_SECONDS * 1_000_000_000L
                ? Set.of()
                : request.services();
    }
}
