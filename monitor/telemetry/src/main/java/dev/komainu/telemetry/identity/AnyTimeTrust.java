package dev.komainu.telemetry.identity;

import java.net.Socket;
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
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The trust in chains that lead to given authorities and were or will be valid at some time. It
 * serves one question only: what the clock of the central service says. Signatures and the host
 * name are checked as usual. Any thread.
 */
final class AnyTimeTrust extends X509ExtendedTrustManager {

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
    private X509ExtendedTrustManager then(X509Certificate[] chain) throws CertificateException {
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
            for (TrustManager each : factory.getTrustManagers()) {
                if (each instanceof X509ExtendedTrustManager manager) {
                    return manager;
                }
            }
            throw new CertificateException("PKIX without an X.509 trust manager");
        } catch (CertificateException e) {
            throw e;
        } catch (GeneralSecurityException e) {
            throw new CertificateException(e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        then(chain).checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        then(chain).checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        then(chain).checkServerTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        throw new CertificateException("This trust accepts no clients");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        throw new CertificateException("This trust accepts no clients");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("This trust accepts no clients");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
