package dev.komainu.central.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that passwords from guessing lists are refused and others are not. */
class PasswordRulesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "password1234",
                "Password1234",
                "PASSWORD!!!!",
                "letmein2026!",
                "qwertyuiop",
                "QwertyUiop123",
                "1qaz2wsx3edc",
                "asdfghjkl123",
                "0987654321",
                "abcdefghijkl",
                "aaaaaaaaaaaaa",
                "abababababab",
                "keikokeiko",
                "short",
                "keiko-tanaka",
                "Keiko-Tanaka",
                "123keiko-tanaka!!"
            })
    void guessable_passwords_areRefused(String password) {
        assertThat(PasswordRules.fault(password, "keiko-tanaka")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "correct horse battery",
                "another long one",
                "vF9-qq2x-77Lm",
                "犬と狛犬は神社にいる",
                "qwertyuiop is no passphrase"
            })
    void others_areAccepted(String password) {
        assertThat(PasswordRules.fault(password, "keiko-tanaka")).isEmpty();
    }

    @Test
    void longerThanBcryptReads_isRefused() {
        assertThat(PasswordRules.fault("long words ".repeat(7), "keiko")).isPresent();
    }

    @Test
    void list_hasThePromisedLength() throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Objects.requireNonNull(PasswordRules.class.getResourceAsStream(
                        "/access/common-passwords.txt.gz"))),
                StandardCharsets.UTF_8))) {
            assertThat(lines.lines().distinct().count()).isGreaterThan(10_000);
        }
    }
}
