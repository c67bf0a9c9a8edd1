package dev.komainu.telemetry.report;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The only authorities whose certificates are accepted from the central service, from a PEM file. A
 * changed file is read again. Sender thread only.
 */
final class TrustedAuthorities {

    private static final int MOST_BYTES = 1 << 20;

    private final Path file;
    private @Nullable FileTime read;
    private @Nullable SSLSocketFactory sockets;

    TrustedAuthorities(Path file) {
        this.file = file;
    }

    /**
     * Returns the factory of connections.
     *
     * @throws IOException naming the file and what was expected
     */
    SSLSocketFactory sockets() throws IOException {
        if (!Files.isReadable(file) || Files.size(file) > MOST_BYTES) {
            throw new IOException("central.authority-file: " + file
                    + " (expected: a readable PEM file of at most 1 MB)");
        }
        FileTime modified = Files.getLastModifiedTime(file);
        SSLSocketFactory known = sockets;
        if (known != null && modified.equals(read)) {
            // The same factory each time: connections are reused by it.
            return known;
        }
        try {
            SSLSocketFactory fresh = factory(Files.readAllBytes(file));
            sockets = fresh;
            read = modified;
            return fresh;
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "central.authority-file: " + file + " (expected: certificates in PEM)", e);
        }
    }

    private static SSLSocketFactory factory(byte[] pem)
            throws GeneralSecurityException, IOException {
        Collection<? extends Certificate> certificates = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(pem));
        KeyStore anchors = KeyStore.getInstance("PKCS12");
        anchors.load(null, null);
        int number = 0;
        for (Certificate each : certificates) {
            anchors.setCertificateEntry("authority-" + number++, each);
        }
        if (number == 0) {
            throw new GeneralSecurityException("no certificate");
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(anchors);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context.getSocketFactory();
    }
}
