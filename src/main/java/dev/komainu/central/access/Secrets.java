package dev.komainu.central.access;

import dev.komainu.telemetry.wire.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * The generator of secrets and of their stored hashes. A plain SHA-256 is sufficient here, unlike
 * for passwords: 256 random bits cannot be guessed from their hash.
 */
final class Secrets {

    private static final SecureRandom RANDOM = new SecureRandom();
    /** Alphabet without characters that look alike, since users type these passwords. */
    private static final String READABLE = "abcdefghjkmnpqrstuvwxyz23456789";

    private Secrets() {}

    /** Returns 256 random bits as 43 characters of base64url. */
    static String random() {
        byte[] bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Returns a one-time password: 16 characters in groups of four, about 79 bits. */
    static String oneTimePassword() {
        StringBuilder password = new StringBuilder();
        for (int i = 0; i < 16; i++) {
            if (i > 0 && i % 4 == 0) {
                password.append('-');
            }
            password.append(READABLE.charAt(RANDOM.nextInt(READABLE.length())));
        }
        return password.toString();
    }

    /** Returns the SHA-256 in lower-case hexadecimal. */
    static String hash(String secret) {
        return Sha256.hex(secret);
    }

    /** Compares two secrets in constant time. */
    static boolean same(String first, String second) {
        return MessageDigest.isEqual(
                first.getBytes(StandardCharsets.UTF_8), second.getBytes(StandardCharsets.UTF_8));
    }
}
