package dev.komainu.central.secret;

import dev.komainu.telemetry.file.PrivateFiles;
import dev.komainu.telemetry.wire.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The keys of {@link SecretCipher}: 32 random bytes each, in base64. The first one encrypts; the
 * others only decrypt what was encrypted before it was added. A key's id is the beginning of its
 * SHA-256.
 *
 * <p>They come from the environment variable {@value #VARIABLE}, separated by commas, or from a
 * file of mode 600, one a line, which is created at the first start.
 */
public final class SecretKeys {

    public static final String VARIABLE = "KOMAINU_SECRET_KEY";

    private static final int BYTES = 32;
    private static final int ID_DIGITS = 8;

    private final Map<String, SecretKey> keys = new LinkedHashMap<>();
    private final String current;
    private final String place;

    private SecretKeys(List<String> texts, String place) {
        this.place = place;
        for (String text : texts) {
            byte[] key = decoded(text, place);
            keys.put(
                    Sha256.hex(HexFormat.of().formatHex(key)).substring(0, ID_DIGITS),
                    new SecretKeySpec(key, "AES"));
        }
        if (keys.isEmpty()) {
            throw wrong(place);
        }
        current = keys.keySet().iterator().next();
    }

    /**
     * Reads the keys; creates the file when neither it nor the variable exists.
     *
     * @param variable value of the environment variable; absent: the file is used
     * @throws IOException when the file cannot be read or created
     * @throws IllegalStateException naming the place, and not its content, when it has no key
     */
    public static SecretKeys read(@Nullable String variable, Path file) throws IOException {
        if (variable != null && !variable.isBlank()) {
            return new SecretKeys(Arrays.asList(variable.split(",")), VARIABLE);
        }
        if (!Files.exists(file)) {
            add(file);
        }
        return new SecretKeys(lines(file), file.toString());
    }

    /**
     * Adds a new key as the first of the file. The next start encrypts all secrets with it; then
     * the other lines may be removed.
     *
     * @return the number of keys in the file
     */
    public static int add(Path file) throws IOException {
        byte[] key = new byte[BYTES];
        new SecureRandom().nextBytes(key);
        StringBuilder text =
                new StringBuilder(Base64.getEncoder().encodeToString(key)).append('\n');
        List<String> older = Files.exists(file) ? lines(file) : List.of();
        older.forEach(line -> text.append(line).append('\n'));
        PrivateFiles.parentOf(file);
        PrivateFiles.replace(file, text.toString().getBytes(StandardCharsets.US_ASCII));
        return older.size() + 1;
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
    }

    private static byte[] decoded(String text, String place) {
        try {
            byte[] key = Base64.getDecoder().decode(text.strip());
            if (key.length == BYTES) {
                return key;
            }
        } catch (IllegalArgumentException e) {
            // The exception's message contains part of the key.
            throw wrong(place);
        }
        throw wrong(place);
    }

    private static IllegalStateException wrong(String place) {
        return new IllegalStateException(place
                + ": not a key (expected: 32 bytes in base64, as of `openssl rand -base64 32`)");
    }

    String current() {
        return current;
    }

    @Nullable
    SecretKey find(String id) {
        return keys.get(id);
    }

    /** Returns where the keys come from, for messages. */
    public String place() {
        return place;
    }
}
