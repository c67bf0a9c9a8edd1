package dev.komainu.central.identity;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;

/**
 * A key with its certificate.
 *
 * @param key private half, EC or RSA
 * @param certificate certificate of the public half
 */
record CertifiedKey(PrivateKey key, X509Certificate certificate) {

    private static final byte[] SAMPLE = "komainu".getBytes(StandardCharsets.US_ASCII);

    /** Reports whether the certificate is the key's. */
    boolean isConsistent() {
        try {
            Signature signature = Signature.getInstance(
                    key.getAlgorithm().equals("RSA") ? "SHA256withRSA" : "SHA256withECDSA");
            signature.initSign(key);
            signature.update(SAMPLE);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(SAMPLE);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
