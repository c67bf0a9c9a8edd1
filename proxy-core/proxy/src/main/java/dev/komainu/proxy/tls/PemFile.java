package dev.komainu.proxy.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of certificates and keys as text (RFC 7468).
 *
 * <p>Java reads PKCS#8 keys only. The older forms contain the same key without its algorithm. The
 * certificate names the algorithm and the curve, so that the missing frame (RFC 5958 section 2) can
 * be added:
 *
 * <pre>
 *   SEQUENCE { INTEGER 0, AlgorithmIdentifier of the certificate's key, OCTET STRING { PKCS#1 or SEC 1 key } }
 * </pre>
 */
final class PemFile {

    private static final int MAX_BYTES = 1 << 20;
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----", Pattern.DOTALL);

    private record Block(String label, String text) {
        byte[] bytes() {
            return Base64.getMimeDecoder().decode(text);
        }
    }

    private PemFile() {}

    /**
     * Reads a chain of certificates.
     *
     * @throws IdentityFault when the file cannot be read or contains no certificate
     */
    static List<X509Certificate> chain(Path file) throws IdentityFault {
        List<X509Certificate> chain = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (Block block : blocks(file)) {
                if (block.label().equals("CERTIFICATE")) {
                    chain.add((X509Certificate)
                            factory.generateCertificate(new ByteArrayInputStream(block.bytes())));
                }
            }
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IdentityFault(
                    "tls.certificates: " + file + " (expected: undamaged PEM certificates)");
        }
        if (chain.isEmpty()) {
            throw new IdentityFault(
                    "tls.certificates: " + file + " (expected: a PEM file with a certificate)");
        }
        return List.copyOf(chain);
    }

    /**
     * Reads the private key of a certificate.
     *
     * @throws IdentityFault when the file cannot be read or contains no usable key for this
     *     certificate
     */
    static PrivateKey key(Path file, PublicKey certified) throws IdentityFault {
        for (Block block : blocks(file)) {
            if (!block.label().endsWith("PRIVATE KEY")) {
                continue;
            }
            if (block.label().startsWith("ENCRYPTED") || block.text().contains("ENCRYPTED")) {
                throw new IdentityFault(
                        "tls.certificates: " + file + " (expected: a key without a passphrase)");
            }
            try {
                byte[] bytes = block.bytes();
                byte[] framed =
                        block.label().equals("PRIVATE KEY") ? bytes : framed(bytes, certified);
                return KeyFactory.getInstance(certified.getAlgorithm())
                        .generatePrivate(new PKCS8EncodedKeySpec(framed));
            } catch (GeneralSecurityException | IllegalArgumentException e) {
                throw new IdentityFault("tls.certificates: " + file + " (expected: an undamaged "
                        + certified.getAlgorithm() + " key, the certificate's own)");
            }
        }
        throw new IdentityFault(
                "tls.certificates: " + file + " (expected: a PEM file with a private key)");
    }

    private static List<Block> blocks(Path file) throws IdentityFault {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new IdentityFault("tls.certificates: " + file + " (expected: at most 1 MB)");
            }
            Matcher matcher = BLOCK.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
            List<Block> blocks = new ArrayList<>();
            while (matcher.find()) {
                blocks.add(new Block(matcher.group(1), matcher.group(2)));
            }
            return blocks;
        } catch (IOException e) {
            throw new IdentityFault("tls.certificates: " + file + " (expected: a readable file)");
        }
    }

    private static byte[] framed(byte[] key, PublicKey certified) {
        byte[] algorithm = algorithm(certified.getEncoded());
        byte[] version = {2, 1, 0};
        return tagged(0x30, join(version, algorithm, tagged(4, key)));
    }

    /**
     * Returns the first member of SubjectPublicKeyInfo (RFC 5280 section 4.1): the key's algorithm
     * and curve.
     */
    private static byte[] algorithm(byte[] publicKey) {
        int from = header(publicKey, 0);
        int inner = header(publicKey, from);
        int length = length(publicKey, from);
        byte[] out = new byte[inner - from + length];
        System.arraycopy(publicKey, from, out, 0, out.length);
        return out;
    }

    /** Returns the index of the content of the element at this index. */
    private static int header(byte[] der, int at) {
        int first = der[at + 1] & 0xff;
        return at + 2 + (first < 0x80 ? 0 : first & 0x7f);
    }

    private static int length(byte[] der, int at) {
        int first = der[at + 1] & 0xff;
        if (first < 0x80) {
            return first;
        }
        int length = 0;
        for (int i = 0; i < (first & 0x7f); i++) {
            length = length << 8 | (der[at + 2 + i] & 0xff);
        }
        return length;
    }

    private static byte[] tagged(int tag, byte[] content) {
        int count = content.length;
        byte[] header = count < 0x80
                ? new byte[] {(byte) tag, (byte) count}
                : count < 0x100
                        ? new byte[] {(byte) tag, (byte) 0x81, (byte) count}
                        : new byte[] {(byte) tag, (byte) 0x82, (byte) (count >> 8), (byte) count};
        return join(header, content);
    }

    private static byte[] join(byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        byte[] all = new byte[length];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }
}
