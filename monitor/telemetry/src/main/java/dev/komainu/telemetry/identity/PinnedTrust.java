package dev.komainu.telemetry.identity;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The trust of an enrolment: a chain is accepted only if one of its certificates has the
 * fingerprint of the code, and the server's certificate leads to it. The certificate with the
 * fingerprint alone proves nothing: it is public, and another server can append it. The host name
 * is checked as usual.
 */
final class PinnedTrust extends X509ExtendedTrustManager {

    private final String fingerprint;
    private final Clock clock;

    PinnedTrust(String fingerprint, Clock clock) {
        this.fingerprint = fingerprint;
        this.clock = clock;
    }

    private AuthorityTrust pinned(X509Certificate[] chain) throws UntrustedServerException {
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

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        pinned(chain).checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        pinned(chain).checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        pinned(chain).checkServerTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        throw new CertificateException("An enrolment accepts no clients");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        throw new CertificateException("An enrolment accepts no clients");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("An enrolment accepts no clients");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
