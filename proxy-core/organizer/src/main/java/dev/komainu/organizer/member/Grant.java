package dev.komainu.organizer.member;

import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The permission of a member to announce prefixes, signed by the cluster's authority, with the key
 * by which the member proves its messages. Ed25519 (RFC 8032) throughout. A text of lines:
 *
 * <pre>
 * komainu-grant 1
 * cluster shop
 * member web1
 * until 2027-12-31
 * key BASE64            the member's public key (X.509)
 * prefix www.example.com/
 * signature BASE64      over all lines above, each with its line feed
 * </pre>
 *
 * @param text the whole grant, as it is presented to others
 * @param until its last day, in UTC
 */
record Grant(
        String text,
        String signed,
        byte[] signature,
        String cluster,
        MemberId member,
        LocalDate until,
        PublicKey key,
        List<UrlPrefix> prefixes) {

    static final String PRIVATE_KEY = "private-key ";
    private static final String FIRST_LINE = "komainu-grant 1";
    static final int MAX_LENGTH = 32_768;

    /**
     * Reads a grant.
     *
     * @throws IllegalArgumentException naming line, value and what was expected
     */
    static Grant parse(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("a grant of " + text.length()
                    + " characters (expected: at most " + MAX_LENGTH + ")");
        }
        String[] lines = text.split("\n", -1);
        int line = 0;
        if (!lines[line++].equals(FIRST_LINE)) {
            throw new IllegalArgumentException("line 1 (expected: " + FIRST_LINE + ")");
        }
        String cluster = member(lines, line++, "cluster");
        MemberId member = value(line, () -> new MemberId(member(lines, 2, "member")));
        line++;
        LocalDate until = value(line, () -> day(member(lines, 3, "until")));
        line++;
        PublicKey key = value(line, () -> publicKey(member(lines, 4, "key")));
        line++;
        List<UrlPrefix> prefixes = new ArrayList<>();
        while (line < lines.length && lines[line].startsWith("prefix ")) {
            String prefix = lines[line].substring("prefix ".length());
            prefixes.add(value(line, () -> UrlPrefix.parse(prefix)));
            line++;
        }
        int signedLines = line;
        byte[] signature = value(line, () -> base64(member(lines, signedLines, "signature")));
        line++;
        if (line != lines.length && !(line == lines.length - 1 && lines[line].isEmpty())) {
            throw new IllegalArgumentException("line " + (line + 1) + " (expected: the end)");
        }
        StringBuilder signed = new StringBuilder();
        for (int i = 0; i < signedLines; i++) {
            signed.append(lines[i]).append('\n');
        }
        return new Grant(
                text,
                signed.toString(),
                signature,
                cluster,
                member,
                until,
                key,
                List.copyOf(prefixes));
    }

    private static String member(String[] lines, int line, String name) {
        if (line >= lines.length || !lines[line].startsWith(name + " ")) {
            throw new IllegalArgumentException(
                    "line " + (line + 1) + " (expected: " + name + " …)");
        }
        return lines[line].substring(name.length() + 1);
    }

    private interface Reading<T> {
        T read() throws GeneralSecurityException;
    }

    private static <T> T value(int line, Reading<T> reading) {
        try {
            return reading.read();
        } catch (IllegalArgumentException | GeneralSecurityException e) {
            String message = String.valueOf(e.getMessage());
            throw new IllegalArgumentException(
                    message.startsWith("line ") ? message : "line " + (line + 1) + ": " + message,
                    e);
        }
    }

    private static LocalDate day(String text) {
        try {
            return LocalDate.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(text + " (expected: a day such as 2027-12-31)", e);
        }
    }

    private static byte[] base64(String text) {
        return Base64.getDecoder().decode(text);
    }

    /**
     * Reads a public key.
     *
     * @throws IllegalArgumentException when it is not base64
     * @throws GeneralSecurityException when it is not an Ed25519 key
     */
    static PublicKey publicKey(String text) throws GeneralSecurityException {
        return KeyFactory.getInstance("Ed25519")
                .generatePublic(new X509EncodedKeySpec(base64(text)));
    }

    static PrivateKey privateKey(String text) throws GeneralSecurityException {
        return KeyFactory.getInstance("Ed25519")
                .generatePrivate(new PKCS8EncodedKeySpec(base64(text)));
    }

    /** Returns the reason why this grant is not valid; absent when it is valid. */
    @Nullable
    String fault(PublicKey authority, String forCluster, long nowMillis) {
        if (!verifies(authority, signed.getBytes(StandardCharsets.UTF_8), signature)) {
            return "its grant is not signed by this cluster's authority";
        }
        if (!cluster.equals(forCluster)) {
            return "its grant is for another cluster";
        }
        if (nowMillis >= untilMillis()) {
            return "its grant ended with " + until;
        }
        return null;
    }

    /** Returns the time at which it expires, in milliseconds since the epoch. */
    long untilMillis() {
        return until.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
    }

    /** Returns the first route outside the grant; absent when all are inside. */
    @Nullable
    UrlPrefix outside(List<ServedRoute> routes) {
        for (ServedRoute route : routes) {
            if (prefixes.stream().noneMatch(prefix -> prefix.covers(route.prefix()))) {
                return route.prefix();
            }
        }
        return null;
    }

    static boolean verifies(PublicKey key, byte[] signed, byte[] signature) {
        try {
            Signature check = Signature.getInstance("Ed25519");
            check.initVerify(key);
            check.update(signed);
            return check.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    static byte[] sign(PrivateKey key, byte[] signed) {
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(key);
            signature.update(signed);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime of 15 and later has Ed25519", e);
        }
    }
}
