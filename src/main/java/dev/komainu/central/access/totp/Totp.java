package dev.komainu.central.access.totp;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import javax.crypto.Mac;

/**
 * The comparison of codes with a clock. A code has six digits and belongs to a time step of 30
 * seconds; the step before and the step after the present one are accepted, too (RFC 6238 section
 * 5.2). Any thread.
 */
public final class Totp {

    /** Length of a code. */
    public static final int DIGITS = 6;

    /** Length of a time step. */
    public static final Duration STEP = Duration.ofSeconds(30);

    /** Time steps that a clock may be ahead or behind. */
    public static final int DRIFT = 1;

    private static final int CODES = 1_000_000;

    private Totp() {}

    /** Returns the number of the time step at an instant. */
    public static long step(Instant at) {
        return Math.floorDiv(at.getEpochSecond(), STEP.toSeconds());
    }

    /**
     * Returns the newest accepted time step that a code belongs to; empty when it belongs to none
     * of them.
     *
     * @param code {@value #DIGITS} digits
     */
    public static OptionalLong matchingStep(TotpSecret secret, String code, Instant now) {
        int given = Integer.parseInt(code);
        long present = step(now);
        for (long step = present + DRIFT; step >= present - DRIFT; step--) {
            if (code(secret, step) == given) {
                return OptionalLong.of(step);
            }
        }
        return OptionalLong.empty();
    }

    /**
     * Returns the code of a time step (RFC 4226 section 5.3): four bytes of the HMAC, from the
     * place that its last four bits name, without the sign, modulo the number of codes.
     */
    private static int code(TotpSecret secret, long step) {
        try {
            Mac mac = Mac.getInstance(TotpSecret.ALGORITHM);
            mac.init(secret.key());
            ByteBuffer sum = ByteBuffer.wrap(
                    mac.doFinal(ByteBuffer.allocate(Long.BYTES).putLong(step).array()));
            int place = sum.get(sum.limit() - 1) & 0xf;
            return (sum.getInt(place) & Integer.MAX_VALUE) % CODES;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has HMAC with SHA-1", e);
        }
    }
}
