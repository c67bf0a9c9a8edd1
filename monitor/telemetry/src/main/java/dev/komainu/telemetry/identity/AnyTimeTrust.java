package dev.komainu.telemetry.identity;

import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The trust in chains that lead to given authorities and were or will be valid at some time. It
 * serves one question only: what the clock of the central service says. Signatures and the host
 * name are checked as usual. Any thread.
 */
final class AnyTimeTrust extends ServerTrust {

    private final Function<X509Certificate[], Collection<X509Certificate>> authorities;

    /**
     * Creates the trust.
     *
     * @param authorities returns the authorities that count for a chain; none: it is not trusted
     */
    AnyTimeTrust(Function<X509Certificate[], Collection<X509Certificate>> authorities) {
        this.authorities = authorities;
    }

    /** Returns the usual check, at the time at which the newest certificate of a chain begins. */
    @Override
    protected X509ExtendedTrustManager checkOf(X509Certificate[] chain)
            throws CertificateException {
        Set<TrustAnchor> anchors = authorities.apply(chain).stream()
                .map(each -> new TrustAnchor(each, null))
                .collect(Collectors.toSet());
        if (anchors.isEmpty()) {
            throw new CertificateException("No authority of this chain is trusted");
        }
        try {
            PKIXBuilderParameters parameters =
                    new PKIXBuilderParameters(anchors, new X509CertSelector());
            parameters.setRevocationEnabled(false);
            Arrays.stream(chain)
                    .map(X509Certificate::getNotBefore)
                    .max(Date::compareTo)
                    .ifPresent(parameters::setDate);
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(new CertPathTrustManagerParameters(parameters));
            return manager(factory);
        } catch (GeneralSecurityException e) {
            throw new CertificateException(e);
        }
    }
}
