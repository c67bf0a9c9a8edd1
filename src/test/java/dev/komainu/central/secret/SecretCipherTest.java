package dev.komainu.central.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attacks of a reader or writer of the database on the secrets in it (review, finding 9). */
class SecretCipherTest {

    @TempDir
    Path data;

    private SecretCipher cipher() throws IOException {
        return new SecretCipher(SecretKeys.read(null, data.resolve("secret-key")));
    }

    @Test
    void databaseReader_sameSecretTwice_seesNeitherItNorThatItIsTheSame() throws IOException {
        SecretCipher cipher = cipher();
        String one = cipher.seal("smtp password", "row 1");
        String two = cipher.seal("smtp password", "row 1");
        assertThat(one).startsWith("{sealed:1:").doesNotContain("smtp password");
        assertThat(one).isNotEqualTo(two);
        assertThat(cipher.open(one, "row 1")).isEqualTo("smtp password");
        assertThat(cipher().open(two, "row 1")).isEqualTo("smtp password");
    }

    @Test
    void databaseWriter_movesOrChangesASecret_itStaysSealed() throws IOException {
        SecretCipher cipher = cipher();
        String sealed = cipher.seal("smtp password", "row 1");
        assertThat(cipher.open(sealed, "row 2")).isEqualTo(sealed);
        String head = sealed.substring(0, sealed.indexOf('}') + 1);
        byte[] bytes = Base64.getDecoder().decode(sealed.substring(head.length()));
        for (int i = 0; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            changed[i] ^= 1;
            String forged = head + Base64.getEncoder().encodeToString(changed);
            assertThat(cipher.open(forged, "row 1")).isEqualTo(forged);
        }
        for (String broken : new String[] {head, head + "AAAA", head + "%", "{sealed:1:}"}) {
            assertThat(cipher.open(broken, "row 1")).isEqualTo(broken);
        }
    }

    @Test
    void databaseReader_guessesASecretByItsHash_needsTheKey() throws IOException {
        SecretCipher other = new SecretCipher(SecretKeys.read(null, data.resolve("another-key")));
        assertThat(cipher().digest("body")).hasSize(64).isNotEqualTo(other.digest("body"));
        assertThat(cipher().digest("body")).isEqualTo(cipher().digest("body"));
    }

    @Test
    void localUser_readsTheKeyFile_isKeptOut() throws IOException {
        cipher();
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(data.resolve("secret-key"))))
                .isEqualTo("rw-------");
    }

    @Test
    void key_isReplaced_opensOldSecretsAndSealsThemAnew() throws IOException {
        Path file = data.resolve("secret-key");
        String old = cipher().seal("secret", "row");
        assertThat(SecretKeys.add(file)).isEqualTo(2);
        SecretCipher next = cipher();
        assertThat(next.open(old, "row")).isEqualTo("secret");
        String renewed = next.seal(old, "row");
        assertThat(SecretCipher.keyId(renewed)).isNotEqualTo(SecretCipher.keyId(old));
        assertThat(next.seal(renewed, "row")).isEqualTo(renewed);
        Files.writeString(file, Files.readAllLines(file).getFirst());
        assertThat(cipher().open(renewed, "row")).isEqualTo("secret");
        assertThat(cipher().open(old, "row")).isEqualTo(old);
    }

    @Test
    void key_isLost_secretStaysSealedAndIsNotSealedTwice() throws IOException {
        String sealed = cipher().seal("secret", "row");
        Files.delete(data.resolve("secret-key"));
        SecretCipher without = cipher();
        assertThat(without.open(sealed, "row")).isEqualTo(sealed);
        assertThat(without.seal(sealed, "row")).isEqualTo(sealed);
    }

    @Test
    void key_ofTheEnvironment_leavesNoFile_andAWrongOneIsNotRepeated() throws IOException {
        String key = Base64.getEncoder().encodeToString(new byte[32]);
        Path file = data.resolve("secret-key");
        SecretCipher cipher = new SecretCipher(SecretKeys.read(key, file));
        assertThat(cipher.open(cipher.seal("secret", "row"), "row")).isEqualTo("secret");
        assertThat(file).doesNotExist();
        for (String wrong : new String[] {"too-short-key", key + ",AAAA", "!" + key}) {
            assertThatThrownBy(() -> SecretKeys.read(wrong, file))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("KOMAINU_SECRET_KEY: not a key")
                    .hasNoCause();
        }
    }
}
