package dev.komainu.central.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralTest;
import dev.komainu.central.access.totp.TotpSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests that one-time passwords are in files of their owner alone and in no log. */
@ExtendWith(OutputCaptureExtension.class)
class FirstStartTest extends CentralTest {

    @Autowired
    private FirstStart firstStart;

    @Autowired
    private ResetRequests resets;

    @Autowired
    private Users users;

    @Autowired
    private SecondFactors factors;

    @Test
    void reset_requestedByAFile_isInAFileAndNotInTheLog(CapturedOutput output) throws IOException {
        users.create("locked-out", Role.ADMINISTRATOR);
        Path directory = data().resolve("reset");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                .isEqualTo("rwx------");
        Files.createFile(directory.resolve("locked-out.request"));

        resets.answerAll();

        Path file = directory.resolve("locked-out");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        String password = Files.readString(file).strip();
        assertThat(output.getAll()).contains(file.toString()).doesNotContain(password);
        assertThat(directory.resolve("locked-out.request")).doesNotExist();
        stranger().login("locked-out", password);
    }

    @Test
    void reset_withSecondFactor_removesItToo() throws IOException {
        users.create("lost-all", Role.ADMINISTRATOR);
        TotpSecret secret = factors.offer("lost-all");
        assertThat(factors.confirm("lost-all", new TestAuthenticator(secret.text()).next()))
                .isInstanceOf(SecondFactors.Confirmation.Done.class);
        Path directory = data().resolve("reset");
        Files.createFile(directory.resolve("lost-all.request"));
        resets.answerAll();
        assertThat(factors.isSetUp("lost-all"))
                .as("the password alone leaves it")
                .isTrue();
        Files.createFile(directory.resolve("lost-all@second-factor.request"));

        resets.answerAll();

        assertThat(factors.isSetUp("lost-all")).isFalse();
        assertThat(directory.resolve("lost-all@second-factor.request")).doesNotExist();
        stranger()
                .login(
                        "lost-all",
                        Files.readString(directory.resolve("lost-all")).strip());
        assertThat(browser(Role.ADMINISTRATOR).get("/api/v1/audit?limit=20").body())
                .contains("second-factor.remove");
    }

    @Test
    void reset_ofNoUser_isRefused() throws IOException {
        Path directory = data().resolve("reset");
        Files.createFile(directory.resolve("nobody-at-all.request"));

        resets.answerAll();

        assertThat(directory.resolve("nobody-at-all")).doesNotExist();
        assertThat(directory.resolve("nobody-at-all.refused")).exists();
    }

    @Test
    void administrator_created_passwordIsInTheFileAndNotInTheLog(CapturedOutput output)
            throws IOException {
        Path file = Files.createTempDirectory("first").resolve("first-password");

        firstStart.tell(
                new Users.Created(
                        new User("admin", Role.ADMINISTRATOR, true, null), "one-time-secret"),
                file);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Files.readString(file)).contains("one-time-secret");
        assertThat(output.getAll()).contains(file.toString()).doesNotContain("one-time-secret");
    }
}
