package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.Order;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The signed form of an order: its message and an Ed25519 signature (RFC 8032) over
 * {@code "komainu-order-1\n"} and the message's bytes, both in base64url, separated by a dot. The
 * received bytes are verified, so the result does not depend on encoding them the same way twice.
 * Pure.
 */
public final class SignedOrder {

    /**
     * The signed text's prefix, so that a signature cannot be reused for another purpose of this
     * key.
     */
    private static final byte[] CONTEXT = "komainu-order-1\n".getBytes(StandardCharsets.US_ASCII);

    /** The bytes before the 32 bytes of a public key in its X.509 form (RFC 8410). */
    private static final byte[] KEY_HEAD = HexFormat.of().parseHex("302a300506032b6570032100");

    private static final int MOST_CHARACTERS = 4_096;

    private SignedOrder() {}

    /** Returns the signed order on one line of {@code A-Za-z0-9_-} and a dot. */
    public static String sign(Order order, PrivateKey key) {
        FieldWriter out = new FieldWriter();
        try {
            OrderFields.write(order, out);
            byte[] message = out.take();
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(key);
            signature.update(CONTEXT);
            signature.update(message);
            Base64.Encoder text = Base64.getUrlEncoder().withoutPadding();
            return text.encodeToString(message) + "." + text.encodeToString(signature.sign());
        } catch (IOException e) {
            throw new UncheckedIOException("a buffer in memory does not fail", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Ed25519: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the order if this key signed exactly these bytes and they are an order; else null,
     * for any error.
     */
    public static @Nullable Order verified(String text, PublicKey key) {
        int dot = text.indexOf('.');
        if (dot < 0 || text.length() > MOST_CHARACTERS) {
            return null;
        }
        try {
            byte[] message = Base64.getUrlDecoder().decode(text.substring(0, dot));
            Signature signature = Signature.getInstance("Ed25519");
            signature.initVerify(key);
            signature.update(CONTEXT);
            signature.update(message);
            if (!signature.verify(Base64.getUrlDecoder().decode(text.substring(dot + 1)))) {
                return null;
            }
            return OrderFields.read(new FieldReader(message));
        } catch (GeneralSecurityException | IllegalArgumentException | MalformedBatchException e) {
            return null;
        } catch (EnumNumbers.UnknownConstant e) {
            return null;
        }
    }

    /** Returns a public key as 43 characters, the form for people. */
    public static String keyText(PublicKey key) {
        byte[] encoded = key.getEncoded();
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Arrays.copyOfRange(encoded, KEY_HEAD.length, encoded.length));
    }

    /**
     * Parses a public key of 43 characters.
     *
     * @throws IllegalArgumentException when the text is no key
     */
    public static PublicKey key(String text) {
        try {
            byte[] raw = Base64.getUrlDecoder().decode(text.strip());
            if (raw.length != 32) {
                throw new IllegalArgumentException("key: " + raw.length + " bytes (expected: 32)");
            }
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            whole.writeBytes(KEY_HEAD);
            whole.writeBytes(raw);
            return KeyFactory.getInstance("Ed25519")
                    .generatePublic(new X509EncodedKeySpec(whole.toByteArray()));
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    "key: " + text + " (expected: 43 characters of base64url)", e);
        }
    }
}
