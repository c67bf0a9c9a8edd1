package dev.komainu.central.alert.notify;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The signature of a webhook: HMAC-SHA256 (RFC 2104) over {@code TIMESTAMP "." BODY}, sent in one
 * header:
 *
 * <pre>
 * Komainu-Signature: t=1763683200,v1=5257a869…   t: seconds since the epoch, v1: 64 hexadecimal digits
 * </pre>
 *
 * <p>The signature covers the time, so that a receiver can refuse a replayed request.
 */
final class Signature {

    static final String HEADER = "Komainu-Signature";

    private Signature() {}

    static String of(String secret, Instant at, byte[] body) {
        long seconds = at.getEpochSecond();
        ByteArrayOutputStream signed = new ByteArrayOutputStream();
        signed.writeBytes((seconds + ".").getBytes(StandardCharsets.US_ASCII));
        signed.writeBytes(body);
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return "t=" + seconds + ",v1="
                    + HexFormat.of().formatHex(mac.doFinal(signed.toByteArray()));
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("Every Java platform has HmacSHA256", e);
        }
    }
}
