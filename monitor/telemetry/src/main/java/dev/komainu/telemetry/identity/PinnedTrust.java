package dev.komainu.telemetry.identity;

import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.List;

/**
 * The trust of an enrolment: a chain is accepted only if one of its certificates has the
 * fingerprint of the code, and the server's certificate leads to it. The certificate with the
 * fingerprint alone proves nothing: it is public, and another server can append it. The host name
 * is checked as usual.
 */
final class PinnedTrust extends ServerTrust {

    private final String fingerprint;
    private final Clock clock;

    PinnedTrust(String fingerprint, Clock clock) {
        this.fingerprint = fingerprint;
        this.clock = clock;
    }

    @Override
    protected AuthorityTrust checkOf(X509Certificate[] chain) throws UntrustedServerException {
        for (X509Certificate each : chain) {
            if (EnrolmentCode.fingerprint(each).equals(fingerprint)) {
                return new AuthorityTrust(List.of(each), false, clock);
            }
        }
        throw new UntrustedServerException(
                "The certificates that the central service shows have the fingerprints "
                        + AuthorityTrust.fingerprints(chain) + " (expected: one of them is "
                        + fingerprint + ", as in the enrolment code)",
                true,
                null);
    }
}
