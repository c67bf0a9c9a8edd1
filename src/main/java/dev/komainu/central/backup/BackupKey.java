package dev.komainu.central.backup;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of an encrypted backup, derived from a passphrase by PBKDF2 (RFC 8018) with HMAC-SHA-256.
 * It encrypts nothing itself: each part has a key of its own, derived by HMAC. Any thread.
 */
public final class BackupKey {

    /** Rounds of the derivation: about half a second on one core of a server. */
    static final int ROUNDS = 600_000;

    private static final int MOST_ROUNDS = 100_000_000;
    private static final int LEAST_CHARACTERS = 12;
    private static final int MOST_BYTES = 4_096;
    private static final int SALT_BYTES = 16;
    private static final int KEY_BITS = 256;

    private final SecretKey key;
    private final Derivation derivation;

    /**
     * The parameters of a derivation, which stand in the backup in clear text.
     *
     * @param salt 32 hexadecimal digits
     * @param check HMAC that only the right passphrase gives
     */
    record Derivation(String salt, int rounds, String check) {}

    private BackupKey(SecretKey key, String salt, int rounds) {
        this.key = key;
        this.derivation = new Derivation(salt, rounds, mac("check", new byte[0]));
    }

    /** Returns a key for a new backup. */
    static BackupKey create(char[] passphrase) {
        byte[] salt = new byte[SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        return derive(passphrase, HexFormat.of().formatHex(salt), ROUNDS);
    }

    /**
     * Returns the key of an existing backup.
     *
     * @throws IOException when it is not the backup's passphrase
     */
    static BackupKey open(char[] passphrase, Derivation derivation) throws IOException {
        if (derivation.rounds() < 1
                || derivation.rounds() > MOST_ROUNDS
                || !derivation.salt().matches("[0-9a-f]{32}")) {
            throw new IOException("manifest: unusable parameters of encryption");
        }
        BackupKey key = derive(passphrase, derivation.salt(), derivation.rounds());
        if (!isEqual(key.derivation.check(), derivation.check())) {
            throw new IOException(
                    "the passphrase does not open this backup (expected: the one it was made with)");
        }
        return key;
    }

    private static BackupKey derive(char[] passphrase, String salt, int rounds) {
        PBEKeySpec spec =
                new PBEKeySpec(passphrase, HexFormat.of().parseHex(salt), rounds, KEY_BITS);
        try {
            byte[] bytes = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(spec)
                    .getEncoded();
            return new BackupKey(new SecretKeySpec(bytes, "HmacSHA256"), salt, rounds);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has PBKDF2 with SHA-256", e);
        } finally {
            spec.clearPassword();
        }
    }

    /**
     * Reads a passphrase: the first line of a file.
     *
     * @throws IOException naming the file and what was expected, never its content
     */
    public static char[] passphrase(Path file) throws IOException {
        if (!Files.isReadable(file) || Files.size(file) > MOST_BYTES) {
            throw new IOException(
                    file + ": not read (expected: a file with a passphrase on its first line)");
        }
        CharBuffer text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Files.readAllBytes(file)));
        } catch (CharacterCodingException e) {
            throw new IOException(file + ": not UTF-8 (expected: a passphrase)", e);
        }
        String first = text.toString().lines().findFirst().orElse("").strip();
        if (first.length() < LEAST_CHARACTERS) {
            throw new IOException(file + ": " + first.length() + " characters (expected: at least "
                    + LEAST_CHARACTERS + " on the first line)");
        }
        return first.toCharArray();
    }

    Derivation derivation() {
        return derivation;
    }

    /** Returns the key of one part of a backup. */
    SecretKey ofPart(String name, byte[] salt) {
        return new SecretKeySpec(hmac("part\n" + name, salt), "AES");
    }

    /** Returns a keyed hash, 64 hexadecimal digits. */
    String mac(String purpose, byte[] content) {
        return HexFormat.of().formatHex(hmac(purpose, content));
    }

    private byte[] hmac(String purpose, byte[] content) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            mac.update(purpose.getBytes(StandardCharsets.UTF_8));
            mac.update((byte) 0);
            return mac.doFinal(content);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has HMAC with SHA-256", e);
        }
    }

    static boolean isEqual(String a, String b) {
        return MessageDigest.isEqual(
                a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }
}
