package dev.komainu.telemetry.report;

import dev.komainu.telemetry.identity.CentralRoute;
import dev.komainu.telemetry.identity.PartIdentity;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of batches to the central service: each is sent to one address after the other until one
 * answers. Batches have names, so one that was stored at an address whose response got lost is not
 * stored again by way of another one. Sender thread only, but for the figures.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // only the sender thread writes its counters
final class BatchRoute {

    private static final Logger LOG = LoggerFactory.getLogger(BatchRoute.class);

    /** The wait for an address that is only asked whether it answers again. */
    private static final Duration PROBE = Duration.ofSeconds(2);

    private final CentralRoute route;
    private final Duration timeout;
    private final Map<URI, BatchTransport> transports = new HashMap<>();
    private final MessageThrottle changed = new MessageThrottle();
    private volatile long failures;

    /**
     * Begins at the first address of this source.
     *
     * @param identity its certificate is used in place of the token; absent: the token
     */
    BatchRoute(ReporterSettings settings, CentralRoute route, @Nullable PartIdentity identity) {
        this.route = route;
        this.timeout = settings.requestTimeout();
        route.all()
                .forEach(address -> transports.put(
                        address,
                        new BatchTransport(
                                address,
                                settings.tokenFile(),
                                settings.authorityFile(),
                                identity,
                                settings.requestTimeout())));
        LOG.info(
                "Central service: {}{}",
                route.inUse(),
                transports.size() == 1 ? "" : ", the first of " + route.all());
    }

    /** Sends a batch to the address in use, and to the others when it does not answer. */
    SendResult post(OutgoingBatch batch) {
        boolean isAnswered = false;
        URI before = route.inUse();
        for (URI each : route.next()) {
            boolean isProbe = route.isProbe(each);
            Duration patience = isProbe ? PROBE : timeout;
            BatchTransport transport = Objects.requireNonNull(transports.get(each));
            switch (transport.post(batch, patience)) {
                case SendResult.Unreachable(String reason) -> {
                    failures++;
                    route.failed(each, reason, Duration.ZERO);
                }
                case SendResult.Deferred deferred
                when deferred.elsewhere() -> {
                    failures++;
                    isAnswered = true;
                    route.failed(each, deferred.reason(), deferred.asked());
                }
                case SendResult result -> {
                    if (route.answered(each)) {
                        tell(each, before, isProbe);
                    }
                    return result;
                }
            }
        }
        // An address that has asked for a wait was left out, but it can be reached.
        return isAnswered || route.asked().isPositive()
                ? new SendResult.Deferred(route.failures(), route.untilNext(), route.asked(), true)
                : new SendResult.Unreachable(route.failures());
    }

    private void tell(URI now, URI before, boolean isReturn) {
        if (isReturn) {
            LOG.info("Central service: {} answers again, and is used in place of {}", now, before);
        } else {
            changed.report(suppressed -> LOG.warn(
                    "Central service: {} is used in place of {}. {}{}",
                    now,
                    before,
                    route.failures(),
                    suppressed));
        }
    }

    /** Returns the address in use. Any thread. */
    URI inUse() {
        return route.inUse();
    }

    /** Returns how often another address came into use. Any thread. */
    long changes() {
        return route.changes();
    }

    /** Returns the number of requests without a usable response. Any thread. */
    long failures() {
        return failures;
    }
}
