package dev.komainu.proxy.tls;

import java.nio.file.Path;

/**
 * The files of a certificate.
 *
 * @param certificate PEM: the server's own certificate, then its issuers
 * @param key PEM: its private key, PKCS#8, PKCS#1 (RSA) or SEC 1 (EC), without a passphrase
 */
public record CertificateFiles(Path certificate, Path key) {

    /**
     * Reads {@code CERTIFICATE=KEY}.
     *
     * @throws IllegalArgumentException with the value and the expected form
     */
    public static CertificateFiles parse(String text) {
        int equals = text.indexOf('=');
        if (equals < 1 || equals == text.length() - 1) {
            throw new IllegalArgumentException(
                    text + " (expected: certificate: FILE and key: FILE)");
        }
        return new CertificateFiles(
                Path.of(text.substring(0, equals).strip()),
                Path.of(text.substring(equals + 1).strip()));
    }
}
