package dev.komainu.organizer.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretIdentityTest {

    @Test
    void of_sameSecret_sameKey_everywhere() throws Exception {
        SecretIdentity first = SecretIdentity.of(Group.SECRET, "shop");
        SecretIdentity other = SecretIdentity.of(Group.SECRET, "shop");
        assertThat(first.certificate().getPublicKey())
                .isEqualTo(other.certificate().getPublicKey());
        // Java verifies the signature with the public key: so the point belongs to the number.
        assertThatCode(() -> first.certificate().verify(other.certificate().getPublicKey()))
                .doesNotThrowAnyException();
        assertThatCode(() -> first.trust()
                        .checkServerTrusted(
                                new java.security.cert.X509Certificate[] {other.certificate()},
                                "ECDHE_ECDSA"))
                .doesNotThrowAnyException();
    }

    @Test
    void of_otherSecretOrCluster_otherKey() throws Exception {
        SecretIdentity first = SecretIdentity.of(Group.SECRET, "shop");
        for (SecretIdentity other : new SecretIdentity[] {
            SecretIdentity.of(Group.SECRET + "x", "shop"), SecretIdentity.of(Group.SECRET, "x")
        }) {
            assertThatThrownBy(() -> first.trust()
                            .checkClientTrusted(
                                    new java.security.cert.X509Certificate[] {other.certificate()},
                                    "UNKNOWN"))
                    .hasMessage("The peer has another secret");
        }
    }

    @Test
    void of_shortOrMonotonousSecret_isRefusedWithoutShowingIt(@TempDir Path directory)
            throws Exception {
        Path file = directory.resolve("secret");
        for (String secret :
                new String[] {"opensesame", "abcabcabcabcabcabcabcabcabcabcabcabcabcabc"}) {
            Files.writeString(file, secret + "\n");
            assertThatThrownBy(() -> Credentials.ofSecret(file, "shop"))
                    .hasMessageStartingWith(
                            "secret-file: " + file + ": a secret of " + secret.length())
                    .hasMessageContaining("expected: at least 32")
                    .hasMessageNotContaining(secret);
        }
    }
}
