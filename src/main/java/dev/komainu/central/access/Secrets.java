package dev.komainu.central.access;

import dev.komainu.telemetry.wire.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * Makes secrets and the hashes kept of them. A plain SHA-256 suffices here, unlike for passwords:
 * 256 random bits cannot be guessed from their hash.
 */
final class Secrets {

    private static final SecureRandom RANDOM = new SecureRandom();
    /** No letters or figures that look alike: people type these from a terminal. */
    private static final String READABLE = "abcdefghjkmnpqrstuvwxyz23456789";

    private Secrets() {}

    /** 256 random bits, 43 characters of base64url. */
    static String random() {
        byte[] bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** A password to be typed once: 16 characters in groups of four, about 79 bits. */
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

    /** SHA-256 in lower-case hexadecimal. */
    static String hash(String secret) {
        return Sha256.hex(secret);
    }

    /** Compares without telling by its time how much was right. */
    static boolean same(String one, String other) {
        return MessageDigest.isEqual(
                one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}
