package dev.komainu.central.access;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * An authenticator as users have it: it knows the secret by its text only. It returns each code
 * once.
 */
public final class TestAuthenticator {

    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

    private final SecretKeySpec key;
    private long last = Long.MIN_VALUE;

    /**
     * Creates an authenticator.
     *
     * @param secret base32
     */
    public TestAuthenticator(String secret) {
        BigInteger bits = BigInteger.ONE; // keeps leading zeros
        for (char each : secret.toCharArray()) {
            bits = bits.shiftLeft(5).or(BigInteger.valueOf(ALPHABET.indexOf(each)));
        }
        byte[] bytes = bits.toByteArray();
        byte[] withoutMark = new byte[secret.length() * 5 / 8];
        System.arraycopy(
                bytes, bytes.length - withoutMark.length, withoutMark, 0, withoutMark.length);
        this.key = new SecretKeySpec(withoutMark, "HmacSHA1");
    }

    /**
     * Returns a code that was not returned before and that a service with the same clock accepts:
     * that of the present time step, then that of the next one. A third one in the same time step
     * is refused.
     */
    public String next() {
        last = Math.max(last + 1, step());
        return at(last);
    }

    /** Returns the code of the present time step, moved by some steps. */
    public String moved(long steps) {
        return at(step() + steps);
    }

    /** Returns the code of a time step. */
    public String at(long step) {
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(key);
            byte[] sum = mac.doFinal(ByteBuffer.allocate(8).putLong(step).array());
            BigInteger four = new BigInteger(1, sum)
                    .shiftRight(8 * (sum.length - 4 - (sum[sum.length - 1] & 15)))
                    .and(BigInteger.valueOf(0x7fffffff));
            return String.format(Locale.ROOT, "%06d", four.intValueExact() % 1_000_000);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long step() {
        return Instant.now().getEpochSecond() / 30;
    }
}
