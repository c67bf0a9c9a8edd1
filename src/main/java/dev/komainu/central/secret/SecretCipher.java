package dev.komainu.central.secret;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;

/**
 * The encryption of secrets at rest with AES-256-GCM (NIST SP 800-38D). The place of a value is
 * associated data: a value that is copied to another row or field cannot be opened there. Any
 * thread.
 *
 * <pre>
 *   {sealed:1:KEY-ID}base64( nonce: 12 bytes | ciphertext | tag: 16 bytes )
 * </pre>
 */
public final class SecretCipher {

    private static final String BEGIN = "{sealed:1:";
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private final SecretKeys keys;
    private final SecureRandom random = new SecureRandom();

    public SecretCipher(SecretKeys keys) {
        this.keys = keys;
    }

    /** Reports whether a text is encrypted. */
    public static boolean isSealed(@Nullable String text) {
        return text != null && text.startsWith(BEGIN) && text.indexOf('}') > 0;
    }

    /** Returns the id of the key that an encrypted text was encrypted with. */
    public static String keyId(String sealed) {
        return sealed.substring(BEGIN.length(), sealed.indexOf('}'));
    }

    /** Returns where the keys come from, for messages. */
    public String place() {
        return keys.place();
    }

    /**
     * Encrypts a text with the current key. A text that is encrypted with an older key is encrypted
     * anew; one that is encrypted with the current key, or that cannot be opened, is returned as it
     * is.
     *
     * @param place table, row and field of the text
     */
    public String seal(String text, String place) {
        String clear = text;
        if (isSealed(text)) {
            if (keyId(text).equals(keys.current())) {
                return text;
            }
            clear = open(text, place);
            if (isSealed(clear)) {
                return text;
            }
        }
        byte[] nonce = new byte[NONCE];
        random.nextBytes(nonce);
        try {
            byte[] secret = cipher(Cipher.ENCRYPT_MODE, key(), nonce, place)
                    .doFinal(clear.getBytes(StandardCharsets.UTF_8));
            byte[] whole = ByteBuffer.allocate(NONCE + secret.length)
                    .put(nonce)
                    .put(secret)
                    .array();
            return BEGIN + keys.current() + "}" + Base64.getEncoder().encodeToString(whole);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has AES-GCM", e);
        }
    }

    /**
     * Decrypts a text. A text that is not encrypted is returned as it is, and so is one that cannot
     * be decrypted, because its key is lost or because it belongs to another place.
     */
    public String open(String text, String place) {
        SecretKey key = isSealed(text) ? keys.find(keyId(text)) : null;
        if (key == null) {
            return text;
        }
        try {
            byte[] whole = Base64.getDecoder().decode(text.substring(text.indexOf('}') + 1));
            if (whole.length <= NONCE) {
                return text;
            }
            ByteBuffer bytes = ByteBuffer.wrap(whole);
            byte[] nonce = new byte[NONCE];
            bytes.get(nonce);
            byte[] secret = new byte[bytes.remaining()];
            bytes.get(secret);
            return new String(
                    cipher(Cipher.DECRYPT_MODE, key, nonce, place).doFinal(secret),
                    StandardCharsets.UTF_8);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return text;
        }
    }

    /**
     * Returns a keyed hash of a text that contains secrets, 64 hexadecimal digits. A plain hash
     * would let a reader of the database test guesses of the secrets.
     */
    public String digest(String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key());
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has HMAC with SHA-256", e);
        }
    }

    private SecretKey key() {
        SecretKey key = keys.find(keys.current());
        if (key == null) {
            throw new IllegalStateException("the current key is one of the keys");
        }
        return key;
    }

    private static Cipher cipher(int mode, SecretKey key, byte[] nonce, String place)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(place.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
