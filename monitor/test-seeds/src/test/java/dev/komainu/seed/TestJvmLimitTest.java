package dev.komainu.seed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TestJvmLimitTest {

    /**
     * The launcher recognizes the message by its first words (.launcher/again.sh), and Maven's
     * [ERROR] brings it to the terminal.
     */
    @Test
    void limitExpired_printsItAndEachThreadsStack() {
        ByteArrayOutputStream output = new ByteArrayOutputStream();

        TestJvmLimit.printStacks(1800, new PrintStream(output, true, StandardCharsets.UTF_8));

        assertThat(output.toString(StandardCharsets.UTF_8))
                .startsWith("[ERROR] This test JVM has run for 1800 s, its limit: it ends.")
                .contains("\"" + Thread.currentThread().getName() + "\" RUNNABLE")
                .contains(
                        "dev.komainu.seed.TestJvmLimitTest.limitExpired_printsItAndEachThreadsStack");
    }
}
