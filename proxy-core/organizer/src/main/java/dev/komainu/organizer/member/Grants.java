package dev.komainu.organizer.member;

import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The grants of this cluster: the authority, and this member's own grant. Without an authority
 * every member may announce all prefixes, under any name.
 *
 * @param authority absent: none
 * @param own this member's grant; absent only without an authority
 * @param key the key by which it signs its messages
 */
public record Grants(
        @Nullable PublicKey authority,
        @Nullable Grant own,
        @Nullable PrivateKey key) {

    public static final Grants NONE = new Grants(null, null, null);

    /** Returns the grant that this member presents to others; absent without an authority. */
    public @Nullable PresentedGrant shown() {
        return own == null ? null : new PresentedGrant(own);
    }

    /**
     * Signs a message.
     *
     * @return absent without an authority
     */
    public byte @Nullable [] sign(byte[] message) {
        return key == null ? null : Grant.sign(key, message);
    }

    /**
     * Reads a grant that another member presents.
     *
     * @throws IllegalArgumentException when it is not a grant of this cluster's authority
     */
    public PresentedGrant shownBy(String text, String cluster) {
        Grant grant = Grant.parse(text);
        String fault = authority == null
                ? "there is no authority"
                : grant.fault(authority, cluster, Long.MIN_VALUE);
        if (fault != null) {
            throw new IllegalArgumentException(fault);
        }
        return new PresentedGrant(grant);
    }

    /**
     * Reads the authority and this member's grant.
     *
     * @param authority base64 of its public key
     * @param file this member's grant with its private key
     * @param nowMillis since the epoch: an expired grant is a mistake
     * @throws IOException naming the setting and what was expected: also when the grant belongs to
     *     another member, or does not cover this member's routes
     */
    public static Grants read(
            String authority,
            Path file,
            String cluster,
            MemberId member,
            List<ServedRoute> routes,
            long nowMillis)
            throws IOException {
        PublicKey authorityKey;
        try {
            authorityKey = Grant.publicKey(authority);
        } catch (IllegalArgumentException | GeneralSecurityException e) {
            throw new IOException(
                    "grant-authority: " + authority + " (expected: what --new-authority printed)",
                    e);
        }
        try {
            String text = Files.readString(file, StandardCharsets.UTF_8);
            int keyStart = text.indexOf(Grant.PRIVATE_KEY);
            if (keyStart < 0) {
                throw new IllegalArgumentException(
                        "no private-key line (expected: the file that --grant made)");
            }
            Grant own = Grant.parse(text.substring(0, keyStart));
            PrivateKey key = Grant.privateKey(
                    text.substring(keyStart + Grant.PRIVATE_KEY.length()).strip());
            String fault = own.fault(authorityKey, cluster, nowMillis);
            if (fault == null && !own.member().equals(member)) {
                fault = "its grant is " + own.member() + "'s, not " + member + "'s";
            }
            UrlPrefix outside = own.outside(routes);
            if (fault == null && outside != null) {
                fault = outside + " is outside its grant (" + own.prefixes() + ")";
            }
            if (fault != null) {
                throw new IOException("grant-file: " + file + ": " + fault);
            }
            return new Grants(authorityKey, own, key);
        } catch (IllegalArgumentException | GeneralSecurityException e) {
            throw new IOException("grant-file: " + file + ": " + e.getMessage(), e);
        } catch (NoSuchFileException | AccessDeniedException e) {
            throw new IOException("grant-file: " + file + " (expected: a readable file)", e);
        }
    }
}
