package dev.komainu.central.identity;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The TLS of a client that trusts certain authorities, and no others. */
public final class AuthorityTls {

    private AuthorityTls() {}

    /**
     * Returns the TLS of a client that trusts the certificates of a file in PEM.
     *
     * @throws IOException naming the file and what was expected
     */
    public static SSLContext of(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (certificates.isEmpty()) {
                throw new IOException(file + " (expected: at least one certificate in PEM)");
            }
            return context(certificates);
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " (expected: certificates in PEM)", e);
        }
    }

    /** Returns the TLS of a client that trusts these certificates. */
    static SSLContext context(Collection<? extends Certificate> certificates)
            throws GeneralSecurityException, IOException {
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store(certificates));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /** Returns these certificates as a store of trusted ones. */
    public static KeyStore store(Collection<? extends Certificate> certificates)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        int number = 0;
        for (Certificate each : certificates) {
            store.setCertificateEntry("authority-" + number++, each);
        }
        return store;
    }
}
