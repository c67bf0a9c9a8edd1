package dev.komainu.telemetry.identity;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The trust in servers by a check that depends on the chain which the server shows. It accepts no
 * clients.
 */
public abstract class ServerTrust extends X509ExtendedTrustManager {

    /**
     * Returns the check of a chain.
     *
     * @throws CertificateException when the chain is refused without a further check
     */
    protected abstract X509ExtendedTrustManager checkOf(X509Certificate[] chain)
            throws CertificateException;

    /** Returns the check of the Java runtime for a factory that is initialized. */
    public static X509ExtendedTrustManager manager(TrustManagerFactory initialized)
            throws GeneralSecurityException {
        for (TrustManager each : initialized.getTrustManagers()) {
            if (each instanceof X509ExtendedTrustManager manager) {
                return manager;
            }
        }
        throw new GeneralSecurityException("PKIX without an X.509 trust manager");
    }

    @Override
    public final void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        checkOf(chain).checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        checkOf(chain).checkServerTrusted(chain, type, engine);
    }

    @Override
    public final void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        checkOf(chain).checkServerTrusted(chain, type);
    }

    @Override
    public final void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public final void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        checkClientTrusted(chain, type);
    }

    @Override
    public final void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        throw new CertificateException("This trust accepts no clients");
    }

    @Override
    public final X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
