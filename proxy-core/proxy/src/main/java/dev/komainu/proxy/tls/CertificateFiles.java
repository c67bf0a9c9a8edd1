package dev.komainu.proxy.tls;

import java.nio.file.Path;

/**
 * Where a certificate lies.
 *
 * @param certificate PEM: the server's own certificate, then those that vouch for it
 * @param key PEM: its private key, PKCS#8, PKCS#1 (RSA) or SEC 1 (EC), without a passphrase
 */
public record CertificateFiles(Path certificate, Path key) {

    /**
     * @param text {@code CERTIFICATE=KEY}
     * @throws IllegalArgumentException naming the value and what was expected
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
