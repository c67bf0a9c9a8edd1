package dev.komainu.central.access.totp;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** The secret that a user's authenticator holds: 160 random bits (RFC 4226 section 4, R6). */
public final class TotpSecret {

    static final String ALGORITHM = "HmacSHA1";

    private static final int BYTES = 20;
    private static final String ISSUER = "Komainu";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] bytes;

    private TotpSecret(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns a new secret. */
    public static TotpSecret random() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return new TotpSecret(bytes);
    }

    /** Returns the secret of a key, as of a test vector. */
    static TotpSecret of(byte[] key) {
        return new TotpSecret(key.clone());
    }

    /** Returns the secret of a text that {@link #stored()} returned. */
    public static TotpSecret ofStored(String text) {
        return new TotpSecret(Base64.getDecoder().decode(text));
    }

    /** Returns the form for the database, where it is encrypted. */
    public String stored() {
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** Returns the form that users type into an authenticator: base32 (RFC 4648 section 6). */
    public String text() {
        return Base32.encode(bytes);
    }

    /**
     * Returns the address that authenticators read as a QR code. It names algorithm, digits and
     * period, although they are the usual ones: an authenticator with other defaults works, too.
     *
     * @param account the account in the list of the authenticator
     */
    public String uri(String account) {
        return "otpauth://totp/" + ISSUER + ":" + encoded(account) + "?secret=" + text()
                + "&issuer=" + ISSUER + "&algorithm=SHA1&digits=" + Totp.DIGITS + "&period="
                + Totp.STEP.toSeconds();
    }

    /** Returns a text for a URI, where a blank is %20; in a form it would be a plus sign. */
    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    SecretKey key() {
        return new SecretKeySpec(bytes, ALGORITHM);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TotpSecret secret && Arrays.equals(bytes, secret.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Returns no part of the secret: a log must not contain it. */
    @Override
    public String toString() {
        return "TotpSecret[]";
    }
}
