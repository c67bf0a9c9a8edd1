package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The trust in chains that lead to given authorities, and optionally to those of the Java runtime.
 * A refusal tells the reason in plain words: clocks with both times, the names of the certificate,
 * or its fingerprints. The host name is checked as usual. Any thread.
 */
final class AuthorityTrust extends X509ExtendedTrustManager {

    private final List<X509ExtendedTrustManager> accepted;
    private final Clock clock;

    /**
     * Creates the trust.
     *
     * @param isPublic whether the authorities of the Java runtime count too
     */
    AuthorityTrust(Collection<X509Certificate> authorities, boolean isPublic, Clock clock) {
        this.clock = clock;
        try {
            if (authorities.isEmpty()) {
                accepted = List.of(manager(null));
            } else if (isPublic) {
                accepted = List.of(manager(store(authorities)), manager(null));
            } else {
                accepted = List.of(manager(store(authorities)));
            }
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("Every Java runtime checks certificates", e);
        }
    }

    private static KeyStore store(Collection<X509Certificate> authorities)
            throws GeneralSecurityException, IOException {
        KeyStore anchors = KeyStore.getInstance("PKCS12");
        anchors.load(null, null);
        int number = 0;
        for (X509Certificate each : authorities) {
            anchors.setCertificateEntry("authority-" + number++, each);
        }
        return anchors;
    }

    private static X509ExtendedTrustManager manager(@Nullable KeyStore anchors)
            throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(anchors);
        return ServerTrust.manager(factory);
    }

    /** A check by one of the managers. */
    private interface Check {
        void by(X509ExtendedTrustManager manager) throws CertificateException;
    }

    private void check(X509Certificate[] chain, Check check) throws UntrustedServerException {
        CertificateException first = null;
        for (X509ExtendedTrustManager each : accepted) {
            try {
                check.by(each);
                return;
            } catch (CertificateException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        throw explained(chain, first, clock.instant());
    }

    static UntrustedServerException explained(
            X509Certificate[] chain, @Nullable CertificateException e, Instant now) {
        String message = e == null ? "" : String.valueOf(e.getMessage());
        if (message.startsWith("No subject alternative")
                || message.startsWith("No name matching")) {
            // The chain is trusted, only the name differs.
            return new UntrustedServerException(
                    "The central service's certificate is for another host: " + message
                            + " (expected: an address or a name of its certificate)",
                    true,
                    e);
        }
        for (X509Certificate each : chain) {
            String outside = ClockHint.outside(
                    "The central service's certificate \""
                            + each.getSubjectX500Principal().getName() + "\"",
                    each.getNotBefore().toInstant(),
                    each.getNotAfter().toInstant(),
                    now);
            if (outside != null) {
                return new UntrustedServerException(outside, false, notNow(outside, e));
            }
        }
        return new UntrustedServerException(
                "The central service's certificate is of no trusted authority; the fingerprints of"
                        + " its chain: " + fingerprints(chain) + " (" + message + ")",
                true,
                e);
    }

    /**
     * Returns a cause by which TLS sends the alert {@code certificate_expired}, which also stands
     * for "not yet valid" (RFC 8446 section 6.2): so the central service can tell the reason, too.
     */
    private static CertPathValidatorException notNow(
            String message, @Nullable CertificateException e) {
        return new CertPathValidatorException(
                message, e, null, -1, CertPathValidatorException.BasicReason.EXPIRED);
    }

    static String fingerprints(X509Certificate[] chain) {
        return Arrays.stream(chain)
                .map(EnrolmentCode::fingerprint)
                .collect(Collectors.joining(", "));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        check(chain, manager -> manager.checkServerTrusted(chain, type, socket));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        check(chain, manager -> manager.checkServerTrusted(chain, type, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        check(chain, manager -> manager.checkServerTrusted(chain, type));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        accepted.getFirst().checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        accepted.getFirst().checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        accepted.getFirst().checkClientTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return accepted.stream()
                .flatMap(manager -> Arrays.stream(manager.getAcceptedIssuers()))
                .toArray(X509Certificate[]::new);
    }
}
