package dev.komainu.organizer.member;

import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.time.LocalDate;
import java.util.Base64;
import java.util.List;

/**
 * The authority that decides what each member may announce: a key of the administrator, stored on
 * no member. Its files have mode 600.
 */
public final class GrantAuthority {

    private static final Base64.Encoder BASE64 = Base64.getEncoder();

    private GrantAuthority() {}

    /**
     * Creates a new authority.
     *
     * @param file the file for its private key; must not exist
     * @return its public key, for {@code grant-authority} of every member
     */
    public static String create(Path file) throws IOException {
        KeyPair pair = pair();
        write(file, BASE64.encodeToString(pair.getPrivate().getEncoded()) + "\n");
        return BASE64.encodeToString(pair.getPublic().getEncoded());
    }

    /**
     * Writes a grant of prefixes for a member.
     *
     * @param authority file of {@link #create}
     * @param file file for the member alone, with the grant and its private key; must not exist
     * @throws IOException naming the file and what was expected
     */
    public static void grant(
            Path authority,
            String cluster,
            MemberId member,
            LocalDate until,
            List<UrlPrefix> prefixes,
            Path file)
            throws IOException {
        PrivateKey signing;
        try {
            signing = Grant.privateKey(
                    Files.readString(authority, StandardCharsets.US_ASCII).strip());
        } catch (IOException | IllegalArgumentException | GeneralSecurityException e) {
            throw new IOException(
                    "authority: " + authority + " (expected: a file made by --new-authority)", e);
        }
        KeyPair own = pair();
        StringBuilder text = new StringBuilder("komainu-grant 1\n");
        text.append("cluster ").append(cluster).append('\n');
        text.append("member ").append(member).append('\n');
        text.append("until ").append(until).append('\n');
        text.append("key ")
                .append(BASE64.encodeToString(own.getPublic().getEncoded()))
                .append('\n');
        prefixes.forEach(prefix -> text.append("prefix ").append(prefix).append('\n'));
        byte[] signature = Grant.sign(signing, text.toString().getBytes(StandardCharsets.UTF_8));
        text.append("signature ").append(BASE64.encodeToString(signature)).append('\n');
        Grant.parse(text.toString());
        text.append(Grant.PRIVATE_KEY)
                .append(BASE64.encodeToString(own.getPrivate().getEncoded()))
                .append('\n');
        write(file, text.toString());
    }

    private static KeyPair pair() {
        try {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime of 15 and later has Ed25519", e);
        }
    }

    private static void write(Path file, String text) throws IOException {
        try {
            PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
                    .close();
        } catch (IOException e) {
            throw new IOException(file + " (expected: a new file in a writable directory)", e);
        }
        Files.writeString(file, text, StandardOpenOption.WRITE);
    }
}
