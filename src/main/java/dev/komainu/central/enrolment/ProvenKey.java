package dev.komainu.central.enrolment;

import dev.komainu.central.enrolment.EnrolmentRefusedException.Reason;
import dev.komainu.telemetry.wire.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

/**
 * The public key of a part, with the text in which it was sent.
 *
 * @param text base64 of X.509 SubjectPublicKeyInfo
 */
record ProvenKey(PublicKey key, String text) {

    private static final int P256_BITS = 256;

    /**
     * Reads a key: P-256.
     *
     * @throws EnrolmentRefusedException {@link Reason#PROOF_WRONG}
     */
    static ProvenKey read(String text) throws EnrolmentRefusedException {
        try {
            PublicKey key = KeyFactory.getInstance("EC")
                    .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(text)));
            if (key instanceof ECPublicKey curve
                    && curve.getParams().getOrder().bitLength() == P256_BITS) {
                return new ProvenKey(key, text);
            }
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // Reported below.
        }
        throw new EnrolmentRefusedException(
                Reason.PROOF_WRONG,
                "publicKey: " + text.length()
                        + " characters (expected: base64 of X.509 SubjectPublicKeyInfo, P-256)");
    }

    /**
     * Checks that the sender has the private half.
     *
     * @param signed the text that it signs
     * @param proof base64 of the signature, SHA256withECDSA
     * @throws EnrolmentRefusedException {@link Reason#PROOF_WRONG}
     */
    void check(String signed, String proof) throws EnrolmentRefusedException {
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initVerify(key);
            signature.update(signed.getBytes(StandardCharsets.UTF_8));
            if (signature.verify(Base64.getDecoder().decode(proof))) {
                return;
            }
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // Reported below.
        }
        throw new EnrolmentRefusedException(
                Reason.PROOF_WRONG,
                "proof: does not verify (expected: base64 of a SHA256withECDSA signature by publicKey)");
    }

    String hash() {
        return Sha256.hex(text);
    }

    /** Returns the hash of a key in a certificate, as {@link #hash} of the same key. */
    static String hash(PublicKey key) {
        return Sha256.hex(Base64.getEncoder().encodeToString(key.getEncoded()));
    }
}
