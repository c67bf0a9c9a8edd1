package dev.komainu.central.backup.move;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MoveCommandTest {

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final MoveCommand command = new MoveCommand(
            new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));

    private String said() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--data",
                "--data /tmp",
                "--to jdbc:postgresql://127.0.0.1/k",
                "--data /tmp --to x --more y"
            })
    void run_wrongUsage_isToldWithTheExpectedOne(String arguments) {
        assertThat(command.run(arguments.isEmpty() ? new String[0] : arguments.split(" ")))
                .isEqualTo(2);

        assertThat(said()).contains("expected: --data DIR --to jdbc:postgresql://HOST/DATABASE");
    }

    @Test
    void run_passwordInTheAddress_isRefusedWithoutIt() {
        assertThat(command.run(
                        "--data", "/tmp", "--to", "jdbc:postgresql://127.0.0.1/k?password=secret"))
                .isEqualTo(1);

        assertThat(said())
                .contains("komainu.control.url")
                .contains("expected: komainu.control.password-file")
                .doesNotContain("secret");
    }
}
