package dev.komainu.central.identity;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads and writes the text form of certificates and keys (RFC 7468). */
final class Pem {

    private static final int MOST_BYTES = 1 << 20;
    private static final Base64.Encoder LINES =
            Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String PRIVATE_KEY = "PRIVATE KEY";
    private static final Pattern CERTIFICATES =
            Pattern.compile("-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----");

    private Pem() {}

    static byte[] of(Collection<X509Certificate> certificates) {
        return text(certificates).getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns a file of a key and its certificates. */
    static byte[] of(PrivateKey key, Collection<X509Certificate> certificates) {
        return (block(PRIVATE_KEY, key.getEncoded()) + text(certificates))
                .getBytes(StandardCharsets.US_ASCII);
    }

    static String text(Collection<X509Certificate> certificates) {
        StringBuilder text = new StringBuilder();
        for (X509Certificate certificate : certificates) {
            try {
                text.append(block(CERTIFICATE, certificate.getEncoded()));
            } catch (CertificateException e) {
                throw new IllegalStateException("A certificate that was read has its bytes", e);
            }
        }
        return text.toString();
    }

    static byte[] of(PrivateKey key) {
        return block(PRIVATE_KEY, key.getEncoded()).getBytes(StandardCharsets.US_ASCII);
    }

    private static String block(String label, byte[] bytes) {
        return "-----BEGIN " + label + "-----\n" + LINES.encodeToString(bytes) + "\n-----END "
                + label + "-----\n";
    }

    /** Reports whether a file has certificates. */
    static boolean hasCertificates(Path file) throws IOException {
        return CERTIFICATES
                .matcher(new String(bytes(file), StandardCharsets.ISO_8859_1))
                .find();
    }

    /**
     * Reads certificates.
     *
     * @throws IOException naming the file and what was expected
     */
    static List<X509Certificate> certificates(Path file) throws IOException {
        try {
            // A file of both has its key left out, because the factory would read it as a
            // certificate.
            String blocks = CERTIFICATES
                    .matcher(new String(bytes(file), StandardCharsets.ISO_8859_1))
                    .results()
                    .map(MatchResult::group)
                    .collect(Collectors.joining("\n"));
            List<X509Certificate> found = CertificateFactory.getInstance("X.509")
                    .generateCertificates(
                            new ByteArrayInputStream(blocks.getBytes(StandardCharsets.ISO_8859_1)))
                    .stream()
                    .map(X509Certificate.class::cast)
                    .toList();
            if (!found.isEmpty()) {
                return found;
            }
        } catch (CertificateException e) {
            throw new IOException(file + " (expected: certificates in PEM)", e);
        }
        throw new IOException(file + " (expected: at least one certificate in PEM)");
    }

    /**
     * Reads a private key: EC or RSA, PKCS#8, without a passphrase.
     *
     * @throws IOException naming the file and what was expected; never the key
     */
    static PrivateKey privateKey(Path file) throws IOException {
        String text = new String(bytes(file), StandardCharsets.US_ASCII);
        String begin = "-----BEGIN " + PRIVATE_KEY + "-----";
        int from = text.indexOf(begin);
        int to = text.indexOf("-----END " + PRIVATE_KEY + "-----");
        if (from >= 0 && to > from) {
            String encoded = text.substring(from + begin.length(), to);
            for (String algorithm : List.of("EC", "RSA")) {
                try {
                    return KeyFactory.getInstance(algorithm)
                            .generatePrivate(new PKCS8EncodedKeySpec(
                                    Base64.getMimeDecoder().decode(encoded)));
                } catch (GeneralSecurityException | IllegalArgumentException e) {
                    // Of another algorithm, or damaged; the exception may hold parts of the key.
                }
            }
        }
        throw new IOException(file + " (expected: an EC or RSA private key in PEM, PKCS#8)");
    }

    private static byte[] bytes(Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new IOException(file + " (expected: a readable file)");
        }
        if (Files.size(file) > MOST_BYTES) {
            throw new IOException(file + " (expected: at most " + MOST_BYTES + " bytes)");
        }
        return Files.readAllBytes(file);
    }
}
