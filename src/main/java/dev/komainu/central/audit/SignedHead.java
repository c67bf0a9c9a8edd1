package dev.komainu.central.audit;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.Optional;

/**
 * A head with the time at which it was the newest, signed with the Ed25519 key (RFC 8032) that
 * signs orders. Its line is also that of the head file:
 *
 * <pre>
 * 2026-11-26T07:00:00Z 1234:5f2b…(64 digits) kLx0…(86 characters of base64url)
 * </pre>
 *
 * The signature covers {@value #CONTEXT}, a line feed, and the first two words.
 */
public record SignedHead(Instant at, AuditHead head, String signature) {

    /** The first line of the signed text, so that a signature has no other meaning. */
    public static final String CONTEXT = "komainu-audit-head-1";

    /** Returns the text that is signed. */
    public static String signed(Instant at, AuditHead head) {
        return at + " " + head;
    }

    /** Returns the head in a line; empty when the line has another form. */
    public static Optional<SignedHead> of(String line) {
        String[] words = line.strip().split(" ", -1);
        if (words.length != 3) {
            return Optional.empty();
        }
        try {
            Instant at = Instant.parse(words[0]);
            return AuditHead.of(words[1]).map(head -> new SignedHead(at, head, words[2]));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** Reports whether this key signed it. */
    public boolean isSignedBy(PublicKey key) {
        try {
            Signature check = Signature.getInstance("Ed25519");
            check.initVerify(key);
            check.update((CONTEXT + "\n" + signed(at, head)).getBytes(StandardCharsets.UTF_8));
            return check.verify(Base64.getUrlDecoder().decode(signature));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return signed(at, head) + " " + signature;
    }
}
