package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work of the thread {@code komainu-identity}: it enrols as long as that is needed, with
 * growing waits, and then renews the certificate until it is interrupted.
 */
final class IdentityWork implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(IdentityWork.class);

    private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    /** The clock of the host may be set: the due time is computed again as often. */
    private static final Duration LONGEST_SLEEP = Duration.ofMinutes(1);

    private final PartIdentity identity;
    private final IdentityFiles files;
    private final CentralAddresses central;
    private final Pauses pauses;
    private final IdentityRenewal renewal;
    private @Nullable Enrolment enrolment;
    /** Wait before the next attempt to enrol; zero: none is needed. */
    private Duration next = Duration.ZERO;

    /** The wait between two attempts. */
    @FunctionalInterface
    interface Pauses {
        void pause(Duration time) throws InterruptedException;
    }

    IdentityWork(
            PartIdentity identity,
            IdentityFiles files,
            CentralAddresses central,
            CentralRoute route,
            Clock clock,
            Pauses pauses) {
        this.identity = identity;
        this.files = files;
        this.central = central;
        this.pauses = pauses;
        this.renewal = new IdentityRenewal(
                identity, files, route, new CentralTls(identity, null, clock), clock);
    }

    /**
     * Tries to enrol once, before the thread starts. Without a response the thread tries again.
     *
     * @throws EnrolmentException when the code is refused
     */
    void enrol(Enrolment first) throws EnrolmentException {
        enrolment = first;
        next = attempt(first, FIRST_WAIT);
    }

    @Override
    public void run() {
        try {
            Enrolment waiting = enrolment;
            if (waiting != null) {
                enrolLater(waiting);
            }
            while (!Thread.currentThread().isInterrupted()) {
                Duration until = renew();
                if (!until.isZero()) {
                    pauses.pause(until.compareTo(LONGEST_SLEEP) < 0 ? until : LONGEST_SLEEP);
                }
            }
        } catch (InterruptedException e) {
            // Closed.
        } catch (EnrolmentException e) {
            identity.refuse(e);
        }
    }

    private void enrolLater(Enrolment waiting) throws EnrolmentException, InterruptedException {
        Duration wait = FIRST_WAIT;
        while (!next.isZero()) {
            pauses.pause(next);
            wait = wait.multipliedBy(2);
            if (wait.compareTo(LONGEST_WAIT) > 0) {
                wait = LONGEST_WAIT;
            }
            next = attempt(waiting, wait);
        }
    }

    /**
     * Tries to enrol once.
     *
     * @param wait wait before the next attempt, unless the central service asks for a longer one
     * @return the wait before the next attempt; zero: enrolled
     */
    private Duration attempt(Enrolment waiting, Duration wait) throws EnrolmentException {
        return switch (waiting.attempt()) {
            case Enrolment.Result.Enrolled(IssuedIdentity issued) -> {
                store(issued);
                identity.replace(issued);
                LOG.info("Enrolled: {}", PartIdentity.described(issued.identity()));
                yield Duration.ZERO;
            }
            case Enrolment.Result.Later(String reason, Duration after) -> {
                Duration pause = after.compareTo(wait) > 0 ? after : wait;
                identity.setTrouble("not enrolled yet: " + reason);
                LOG.warn(
                        "Cannot enrol at {} now: {}; next attempt in {} s",
                        central,
                        reason,
                        pause.toSeconds());
                yield pause;
            }
        };
    }

    private void store(IssuedIdentity issued) throws EnrolmentException {
        try {
            files.writeFirst(issued.identity());
        } catch (IOException e) {
            throw new EnrolmentException(
                    "the part was enrolled, but its identity cannot be written to "
                            + files.directory() + ": " + e.getMessage()
                            + " (as long as the code lasts, this part can use it again)",
                    e);
        }
    }

    private Duration renew() {
        Identity now = identity.current();
        if (now == null) {
            return LONGEST_SLEEP;
        }
        try {
            return renewal.run(now);
        } catch (RuntimeException e) {
            // An unexpected error must not end the renewals.
            LOG.error("The renewal failed", e);
            return LONGEST_SLEEP;
        }
    }
}
