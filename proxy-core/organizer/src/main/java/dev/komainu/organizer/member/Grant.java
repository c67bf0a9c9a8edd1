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
 * What a member may announce, signed by the cluster's authority; and the key by which that member
 * proves that a message is its own. Ed25519 (RFC 8032) throughout. A text of lines:
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
 * @param text all of it, as it is shown to others
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
    private static final String FIRST = "komainu-grant 1";
    static final int LONGEST = 32_768;

    /** Reads a grant. @throws IllegalArgumentException naming line, value and what was expected */
    static Grant parse(String text) {
        if (text.length() > LONGEST) {
            throw new IllegalArgumentException("a grant of " + text.length()
                    + " characters (expected: at most " + LONGEST + ")");
        }
        String[] lines = text.split("\n", -1);
        int at = 0;
        if (!lines[at++].equals(FIRST)) {
            throw new IllegalArgumentException("line 1 (expected: " + FIRST + ")");
        }
        String cluster = member(lines, at++, "cluster");
        MemberId member = value(at, () -> new MemberId(member(lines, 2, "member")));
        at++;
        LocalDate until = value(at, () -> day(member(lines, 3, "until")));
        at++;
        PublicKey key = value(at, () -> publicKey(member(lines, 4, "key")));
        at++;
        List<UrlPrefix> prefixes = new ArrayList<>();
        while (at < lines.length && lines[at].startsWith("prefix ")) {
            String prefix = lines[at].substring("prefix ".length());
            prefixes.add(value(at, () -> UrlPrefix.parse(prefix)));
            at++;
        }
        int signedLines = at;
        byte[] signature = value(at, () -> base64(member(lines, signedLines, "signature")));
        at++;
        if (at != lines.length && !(at == lines.length - 1 && lines[at].isEmpty())) {
            throw new IllegalArgumentException("line " + (at + 1) + " (expected: the end)");
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

    private static String member(String[] lines, int at, String name) {
        if (at >= lines.length || !lines[at].startsWith(name + " ")) {
            throw new IllegalArgumentException("line " + (at + 1) + " (expected: " + name + " …)");
        }
        return lines[at].substring(name.length() + 1);
    }

    private interface Reading<T> {
        T read() throws GeneralSecurityException;
    }

    private static <T> T value(int at, Reading<T> reading) {
        try {
            return reading.read();
        } catch (IllegalArgumentException | GeneralSecurityException e) {
            String message = String.valueOf(e.getMessage());
            throw new IllegalArgumentException(
                    message.startsWith("line ") ? message : "line " + (at + 1) + ": " + message, e);
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
     * @throws IllegalArgumentException when it is no base64, {@link GeneralSecurityException} when
     *     no Ed25519 key
     */
    static PublicKey publicKey(String text) throws GeneralSecurityException {
        return KeyFactory.getInstance("Ed25519")
                .generatePublic(new X509EncodedKeySpec(base64(text)));
    }

    static PrivateKey privateKey(String text) throws GeneralSecurityException {
        return KeyFactory.getInstance("Ed25519")
                .generatePrivate(new PKCS8EncodedKeySpec(base64(text)));
    }

    /** Why this grant is worth nothing; absent when it is in force. */
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

    /** From when on it is worth nothing, in milliseconds since the epoch. */
    long untilMillis() {
        return until.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
    }

    /** The first route outside; absent when all are inside. */
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
