package dev.komainu.telemetry.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.telemetry.file.PrivateFiles;
import dev.komainu.telemetry.kit.TestAuthority;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdentityFilesTest {

    private static final int FILES = 3;

    @TempDir
    Path data;

    private final TestAuthority authority = new TestAuthority("first");
    private final TestAuthority newer = new TestAuthority("second");
    private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    private Identity identity(TestAuthority by, Instant received) {
        return identity(by, received, "https://central.example:7600");
    }

    private Identity identity(TestAuthority by, Instant received, String central) {
        KeyPair keys = TestAuthority.keys();
        X509Certificate certificate = by.part(
                keys.getPublic(),
                "part",
                "agent",
                "agent@größe \"01\"",
                "01",
                received,
                received.plus(Duration.ofDays(30)));
        return new Identity(
                new IdentityFacts(
                        URI.create(central),
                        "fingerprint",
                        "part",
                        new PartNames(PartNames.Kind.AGENT, "agent@größe \"01\"", "01"),
                        List.of("192.0.2.1/32", "2001:db8::/64"),
                        List.of(),
                        true,
                        Identity.serial(certificate),
                        received,
                        Duration.ofDays(30)),
                keys.getPrivate(),
                List.of(certificate, authority.linkTo(newer)),
                List.of(by.certificate(), authority.certificate()));
    }

    /** Files whose writing ends before the n-th replacement. */
    private IdentityFiles interrupted(int before) {
        int[] done = {0};
        return new IdentityFiles(data, (file, content) -> {
            if (done[0]++ == before) {
                // As a crash does: what was written of the new file stays beside it.
                Files.write(file.resolveSibling(file.getFileName() + ".new"), new byte[] {1, 2});
                throw new IOException("interrupted");
            }
            PrivateFiles.replace(file, content);
        });
    }

    @Test
    void read_returnsWhatWasWritten() throws Exception {
        Identity written = identity(authority, now);
        IdentityFiles files = new IdentityFiles(data);
        files.writeFirst(written);
        Identity read = files.read();
        assertThat(read.facts()).isEqualTo(written.facts());
        assertThat(read.chain()).isEqualTo(written.chain());
        assertThat(read.authorities()).isEqualTo(written.authorities());
        assertThat(read.key()).isEqualTo(written.key());
    }

    @Test
    void write_filesAreOfTheirOwnerOnly() throws Exception {
        new IdentityFiles(data).writeFirst(identity(authority, now));
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(data.resolve("identity"))))
                .isEqualTo("rwx------");
        try (Stream<Path> files = Files.list(data.resolve("identity"))) {
            assertThat(files)
                    .hasSize(FILES)
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(file)))
                            .isEqualTo("rw-------"));
        }
    }

    @Test
    void renewal_interruptedBeforeAnyFile_leavesAnIdentityThatIsUsableAndRenewedInTime()
            throws Exception {
        for (int before = 0; before < FILES; before++) {
            Identity old = identity(authority, now);
            new IdentityFiles(data).writeFirst(old);
            Identity fresh = identity(newer, now.plus(Duration.ofDays(20)));
            int step = before;
            assertThatThrownBy(() -> interrupted(step).write(fresh)).hasMessage("interrupted");

            Identity left = new IdentityFiles(data).read();
            assertThat(left.certificate()).as("step %s", step).isEqualTo(old.certificate());
            assertThat(left.key()).isEqualTo(old.key());
            // The authority of the old certificate is trusted as before.
            assertThat(left.authorities()).contains(authority.certificate());
            // Not as late as the renewal of the certificate that was never written.
            Instant restart = now.plus(Duration.ofDays(20));
            assertThat(left.renewalDue(restart)).isBeforeOrEqualTo(restart);

            new IdentityFiles(data).write(fresh);
            assertThat(new IdentityFiles(data).read().certificate()).isEqualTo(fresh.certificate());
        }
    }

    @Test
    void enrolment_interruptedBeforeAnyFile_leavesNoIdentity_neverPartsOfTwo() throws Exception {
        for (int before = 0; before < FILES; before++) {
            new IdentityFiles(data).writeFirst(identity(authority, now));
            int step = before;
            assertThatThrownBy(() -> interrupted(step)
                            .writeFirst(identity(newer, now, "https://other.example:1")))
                    .hasMessage("interrupted");
            assertThat(new IdentityFiles(data).exists()).as("step %s", step).isFalse();
        }
    }

    @Test
    void read_eachDamage_isToldWithFileAndRemedy() throws Exception {
        IdentityFiles files = new IdentityFiles(data);
        Identity written = identity(authority, now);
        damaged("part.pem", "no private key", text -> text.replace("PRIVATE KEY", "SECRET"));
        damaged("part.pem", "no certificate", text -> text.replace("CERTIFICATE", "CERT"));
        damaged(
                "part.pem",
                "not that of the certificate",
                text -> PemText.of(identity(authority, now).key()) + PemText.of(written.chain()));
        damaged("authorities.pem", "damaged", text -> text.replace("MII", "AAA"));
        damaged("authorities.pem", "no certificate", text -> "");
        damaged("facts.json", "no JSON", text -> text.substring(0, 40));
        damaged("facts.json", "received", text -> text.replace("\"received\"", "\"other\""));
        files.writeFirst(written);
        Files.delete(data.resolve("identity/facts.json"));
        assertThatThrownBy(files::read).hasMessageContaining("facts.json: missing");
    }

    /** A change of a file's text. */
    private interface Damage {
        String of(String text);
    }

    private void damaged(String name, String expected, Damage damage) throws IOException {
        IdentityFiles files = new IdentityFiles(data);
        files.writeFirst(identity(authority, now));
        Path file = data.resolve("identity").resolve(name);
        String text = damage.of(Files.readString(file));
        assertThat(text).isNotEqualTo(Files.readString(file));
        Files.writeString(file, text);
        assertThatThrownBy(files::read)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(file + ": ")
                .hasMessageContaining(expected)
                .hasMessageContaining("to enrol again, remove " + data.resolve("identity"));
        assertThat(files.exists()).isTrue();
    }
}
