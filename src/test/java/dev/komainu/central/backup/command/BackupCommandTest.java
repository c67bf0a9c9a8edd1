package dev.komainu.central.backup.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupCommandTest {

    @TempDir
    private Path directory;

    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);
    private final BackupCommand command = new BackupCommand(out, out);

    private String said() {
        return text.toString(StandardCharsets.UTF_8);
    }

    @Test
    void wrongUsage_exits2() {
        assertThat(command.run()).isEqualTo(2);
        assertThat(command.run("verify")).isEqualTo(2);
        assertThat(command.run("verify", "a", "b")).isEqualTo(2);
        assertThat(command.run("verify", "a", "--data", "b")).isEqualTo(2);
        assertThat(command.run("restore", "a")).isEqualTo(2);
        assertThat(command.run("fetch", "a")).isEqualTo(2);
        assertThat(said()).contains("expected: verify DIR [--passphrase-file FILE]");
    }

    @Test
    void directoryWithoutABackup_exits1WithTheReason() {
        assertThat(command.run("verify", directory.toString())).isEqualTo(1);
        assertThat(said()).contains("no complete backup (expected: the file manifest)");
    }

    @Test
    void passphraseFile_shortOrAbsent_exits1AndIsNotPrinted() throws Exception {
        Path file = directory.resolve("passphrase");

        assertThat(command.run(
                        "verify", directory.toString(), "--passphrase-file", file.toString()))
                .isEqualTo(1);
        assertThat(said()).contains("not read (expected: a file with a passphrase");

        Files.writeString(file, "too short\n");
        assertThat(command.run(
                        "verify", directory.toString(), "--passphrase-file", file.toString()))
                .isEqualTo(1);
        assertThat(said())
                .contains("9 characters (expected: at least 12")
                .doesNotContain("too short");
    }
}
