package dev.komainu.telemetry.identity;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;

/** A P-256 key of a part (FIPS 186-4), and the proofs that the part has it. */
record PartKey(PrivateKey secret, PublicKey open) {

    private static final String SIGNATURE = "SHA256withECDSA";

    static PartKey create() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            return new PartKey(pair.getPrivate(), pair.getPublic());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has P-256", e);
        }
    }

    /** Returns the public half: base64 of its SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7). */
    String openText() {
        return Base64.getEncoder().encodeToString(open.getEncoded());
    }

    /** Returns the signature over lines of text, each but the last ended by a line feed. */
    String proof(String... lines) {
        try {
            Signature signature = Signature.getInstance(SIGNATURE);
            signature.initSign(secret);
            signature.update(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("A P-256 key signs", e);
        }
    }

    /** Reports whether both halves belong to each other. */
    boolean isConsistent() {
        try {
            byte[] text = "komainu".getBytes(StandardCharsets.US_ASCII);
            Signature signature = Signature.getInstance(SIGNATURE);
            signature.initSign(secret);
            signature.update(text);
            byte[] signed = signature.sign();
            signature.initVerify(open);
            signature.update(text);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            // Keys of different kinds.
            return false;
        }
    }
}
