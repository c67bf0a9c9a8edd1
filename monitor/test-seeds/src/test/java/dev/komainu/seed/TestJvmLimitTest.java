package dev.komainu.seed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TestJvmLimitTest {

    /**
     * The launcher knows it by the first words (.launcher/again.sh), and Maven's [ERROR] brings it
     * to the terminal.
     */
    @Test
    void limitIsOver_tellsItAndWhatEachThreadDoes() {
        ByteArrayOutputStream said = new ByteArrayOutputStream();

        TestJvmLimit.tell(1800, new PrintStream(said, true, StandardCharsets.UTF_8));

        assertThat(said.toString(StandardCharsets.UTF_8))
                .startsWith("[ERROR] This test JVM has run for 1800 s, its limit: it ends.")
                .contains("\"" + Thread.currentThread().getName() + "\" RUNNABLE")
                .contains(
                        "dev.komainu.seed.TestJvmLimitTest.limitIsOver_tellsItAndWhatEachThreadDoes");
    }
}
