package dev.komainu.central.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralTest;
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
