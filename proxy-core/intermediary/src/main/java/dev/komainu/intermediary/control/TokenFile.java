package dev.komainu.intermediary.control;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens that the control endpoint accepts, one a line of a file: {@code TOKEN [SCOPES
 * [EXPIRES]]}.
 *
 * <p>Only hashes are stored, and a given token is compared with all of them in constant time. The
 * file is checked before each use and read again when it changed. While it has a mistake or cannot
 * be read, no token is valid: a token that an administrator removed must not stay in force because
 * of a mistake in another line. Thread-safe.
 */
public final class TokenFile {

    private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);
    private static final int MIN_LENGTH = 16;
    private static final String HASHED = "sha256:";

    private final Path file;
    private final Supplier<Instant> clock;
    // Guarded by this.
    private List<Token> tokens = List.of();
    private @Nullable Stamp loadedStamp;
    private @Nullable String lastError;

    /**
     * A token's hash and its permissions.
     *
     * @param expires absent: never
     */
    private record Token(
            byte[] hash, Set<ControlScope> scopes, @Nullable Instant expires) {}

    /** The file attributes that identify a version of the file. */
    private record Stamp(
            long modifiedMicros, long size, @Nullable Object file) {}

    /**
     * Reads the file.
     *
     * @throws IOException with the line, when the file cannot be read or has a mistake
     */
    public TokenFile(Path file, Supplier<Instant> clock) throws IOException {
        this.file = file;
        this.clock = clock;
        load();
    }

    /**
     * Returns the permissions of a token now.
     *
     * @return absent when the token is unknown or expired
     */
    synchronized @Nullable Set<ControlScope> scopes(String token) {
        refresh();
        byte[] given = hash(token);
        Token found = null;
        for (Token known : tokens) {
            // Every line is compared, so that the time does not depend on the matching line.
            if (MessageDigest.isEqual(known.hash, given)) {
                found = known;
            }
        }
        if (found == null || (found.expires != null && !clock.get().isBefore(found.expires))) {
            return null;
        }
        return found.scopes;
    }

    private void refresh() {
        try {
            if (!stamp().equals(loadedStamp)) {
                load();
                lastError = null;
            }
        } catch (IOException e) {
            tokens = List.of();
            if (!Objects.equals(lastError, e.getMessage())) {
                lastError = e.getMessage();
                LOG.error("No control token is valid: {}", lastError);
            }
        }
    }

    private Stamp stamp() throws IOException {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return new Stamp(
                    now.lastModifiedTime().to(java.util.concurrent.TimeUnit.MICROSECONDS),
                    now.size(),
                    now.fileKey());
        } catch (IOException e) {
            throw new IOException(
                    "control.token-file: " + file + " (expected: a readable file)", e);
        }
    }

    private synchronized void load() throws IOException {
        // The attributes are read before the lines: a change in between is noticed at the next
        // check.
        Stamp stamp = stamp();
        List<String> lines;
        try {
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IOException(
                    "control.token-file: " + file + " (expected: a readable text file)", e);
        }
        List<Token> all = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                try {
                    all.add(token(line));
                } catch (IllegalArgumentException e) {
                    throw new IOException(
                            "control.token-file: " + file + " line " + (i + 1) + ": "
                                    + e.getMessage(),
                            e);
                }
            }
        }
        if (all.isEmpty()) {
            throw new IOException("control.token-file: " + file
                    + " (expected: a line with a token of at least 16 characters)");
        }
        tokens = List.copyOf(all);
        loadedStamp = stamp;
    }

    /** Parses a line. No message contains the token itself. */
    private static Token token(String line) {
        String[] words = line.split("\\s+");
        if (words.length > 3) {
            throw new IllegalArgumentException(
                    words.length + " words (expected: TOKEN [SCOPES [EXPIRES]])");
        }
        return new Token(
                hashOf(words[0]),
                words.length > 1 ? scopesOf(words[1]) : EnumSet.allOf(ControlScope.class),
                words.length > 2 ? expiry(words[2]) : null);
    }

    private static byte[] hashOf(String word) {
        if (word.startsWith(HASHED)) {
            String digits = word.substring(HASHED.length());
            if (!digits.matches("[0-9a-fA-F]{64}")) {
                throw new IllegalArgumentException("a hash of " + digits.length()
                        + " characters (expected: 64 hexadecimal digits)");
            }
            return HexFormat.of().parseHex(digits.toLowerCase(Locale.ROOT));
        }
        if (word.length() < MIN_LENGTH) {
            throw new IllegalArgumentException("a token of " + word.length()
                    + " characters (expected: at least " + MIN_LENGTH + ")");
        }
        return hash(word);
    }

    private static Set<ControlScope> scopesOf(String text) {
        Set<ControlScope> scopes = EnumSet.noneOf(ControlScope.class);
        for (String name : text.split(",")) {
            try {
                scopes.add(ControlScope.valueOf(name.toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        // Not the text: it may be a token in the wrong place.
                        "an unknown scope of " + name.length()
                                + " characters (expected: read, purge, config)",
                        e);
            }
        }
        return scopes;
    }

    private static Instant expiry(String text) {
        try {
            return text.contains("T")
                    ? Instant.parse(text)
                    : LocalDate.parse(text).plusDays(1).atStartOfDay().toInstant(ZoneOffset.UTC);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "an expiry of " + text.length()
                            + " characters (expected: 2027-01-31 or 2027-01-31T12:00:00Z)",
                    e);
        }
    }

    private static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }
}
