package dev.komainu.central.alert.notify;

import dev.komainu.central.secret.SecretCipher;
import dev.komainu.central.secret.SecretKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Base64;

/** The cipher of receivers in tests, with a key that is in no file. */
final class TestSecrets {

    static final SecretCipher CIPHER = of((byte) 1);

    private TestSecrets() {}

    /** Returns a cipher whose key consists of one byte. */
    static SecretCipher of(byte... keys) {
        StringBuilder text = new StringBuilder();
        for (byte each : keys) {
            byte[] key = new byte[32];
            java.util.Arrays.fill(key, each);
            text.append(text.isEmpty() ? "" : ",").append(Base64.getEncoder().encodeToString(key));
        }
        try {
            return new SecretCipher(SecretKeys.read(text.toString(), Path.of("unused")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
