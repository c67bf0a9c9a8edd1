package dev.komainu.telemetry.identity;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;

/** The text form of a part's key and certificates (RFC 7468). Pure, but for {@link #text}. */
final class PemText {

    private static final int MOST_BYTES = 1 << 20;
    private static final Base64.Encoder LINES =
            Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String PRIVATE_KEY = "PRIVATE KEY";
    private static final String PUBLIC_KEY = "PUBLIC KEY";

    private PemText() {}

    static String of(PrivateKey key) {
        return block(PRIVATE_KEY, key.getEncoded());
    }

    static String of(PublicKey key) {
        return block(PUBLIC_KEY, key.getEncoded());
    }

    static String of(Collection<X509Certificate> certificates) {
        StringBuilder text = new StringBuilder();
        for (X509Certificate certificate : certificates) {
            try {
                text.append(block(CERTIFICATE, certificate.getEncoded()));
            } catch (CertificateEncodingException e) {
                throw new IllegalStateException("A certificate that was read has its bytes", e);
            }
        }
        return text.toString();
    }

    private static String block(String label, byte[] bytes) {
        return begin(label) + "\n" + LINES.encodeToString(bytes) + "\n" + end(label) + "\n";
    }

    private static String begin(String label) {
        return "-----BEGIN " + label + "-----";
    }

    private static String end(String label) {
        return "-----END " + label + "-----";
    }

    /**
     * Returns the certificates of a text; other blocks are passed over.
     *
     * @throws IOException when there is none, or a damaged one
     */
    static List<X509Certificate> certificates(String text) throws IOException {
        List<X509Certificate> found = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (byte[] block : blocks(text, CERTIFICATE)) {
                found.add((X509Certificate)
                        factory.generateCertificate(new ByteArrayInputStream(block)));
            }
        } catch (CertificateException | IllegalArgumentException e) {
            throw new IOException("certificate " + (found.size() + 1) + " is damaged", e);
        }
        if (found.isEmpty()) {
            throw new IOException("no certificate");
        }
        return found;
    }

    /**
     * Returns the private key of a text.
     *
     * @throws IOException when there is none, or a damaged one; the message and the cause never
     *     contain parts of the key
     */
    static PrivateKey key(String text) throws IOException {
        try {
            List<byte[]> blocks = blocks(text, PRIVATE_KEY);
            if (blocks.size() == 1) {
                return KeyFactory.getInstance("EC")
                        .generatePrivate(new PKCS8EncodedKeySpec(blocks.getFirst()));
            }
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // The exception may contain parts of the key.
        }
        throw new IOException("no private key of P-256");
    }

    /**
     * Returns the public key of a text.
     *
     * @throws IOException when there is none, or a damaged one
     */
    static PublicKey openKey(String text) throws IOException {
        try {
            List<byte[]> blocks = blocks(text, PUBLIC_KEY);
            if (blocks.size() == 1) {
                return KeyFactory.getInstance("EC")
                        .generatePublic(new X509EncodedKeySpec(blocks.getFirst()));
            }
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("the public key is damaged", e);
        }
        throw new IOException("no public key");
    }

    private static List<byte[]> blocks(String text, String label) {
        List<byte[]> found = new ArrayList<>();
        int from = text.indexOf(begin(label));
        while (from >= 0) {
            int to = text.indexOf(end(label), from);
            if (to < 0) {
                throw new IllegalArgumentException("a block without an end");
            }
            found.add(Base64.getMimeDecoder()
                    .decode(text.substring(from + begin(label).length(), to)));
            from = text.indexOf(begin(label), to);
        }
        return found;
    }

    /**
     * Reads a file.
     *
     * @throws IOException naming what was expected
     */
    static String text(Path file) throws IOException {
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw new IOException("missing or not readable");
        }
        if (Files.size(file) > MOST_BYTES) {
            throw new IOException("more than " + MOST_BYTES + " bytes");
        }
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }
}
