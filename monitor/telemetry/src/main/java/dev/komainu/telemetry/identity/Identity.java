package dev.komainu.telemetry.identity;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The identity of a part at one time. A renewal makes another one. Immutable.
 *
 * @param chain the part's certificate, then those that lead to its authority
 * @param authorities certificates by which the central service is trusted
 */
record Identity(
        IdentityFacts facts,
        PrivateKey key,
        List<X509Certificate> chain,
        List<X509Certificate> authorities) {

    /** Shortest time between two attempts to renew a certificate. */
    private static final Duration LEAST_PAUSE = Duration.ofSeconds(10);

    Identity {
        chain = List.copyOf(chain);
        authorities = List.copyOf(authorities);
    }

    X509Certificate certificate() {
        return chain.getFirst();
    }

    Instant ends() {
        return certificate().getNotAfter().toInstant();
    }

    static String serial(X509Certificate certificate) {
        return certificate.getSerialNumber().toString(16);
    }

    /**
     * Returns the time of the renewal: two thirds of the certificate's life after it came. Only
     * durations count, so a clock that differs from the one of the central service does not matter.
     * When the clock was set back meanwhile, the time begins now. Facts of another certificate
     * remain when a renewal was interrupted between two files; then the renewal is due.
     */
    Instant renewalDue(Instant now) {
        if (!facts.serial().equals(serial(certificate()))) {
            return now;
        }
        Instant since = facts.received().isAfter(now) ? now : facts.received();
        return since.plus(facts.life().multipliedBy(2).dividedBy(3));
    }

    /** Returns the pause after a renewal that failed. */
    Duration pauseAfterFailure() {
        Duration pause = facts.life().dividedBy(30);
        return pause.compareTo(LEAST_PAUSE) < 0 ? LEAST_PAUSE : pause;
    }

    /** Reports whether this identity was enrolled at the central service of a code. */
    boolean isOf(EnrolmentCode code) {
        return facts.fingerprint().equals(code.fingerprint())
                || authorities.stream()
                        .anyMatch(authority ->
                                EnrolmentCode.fingerprint(authority).equals(code.fingerprint()));
    }
}
