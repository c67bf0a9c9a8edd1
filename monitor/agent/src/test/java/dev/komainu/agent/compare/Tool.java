package dev.komainu.agent.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.Program;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs the programs we compare ourselves with. */
final class Tool {

    private Tool() {}

    static boolean exists(String program) {
        return Program.find(program).isPresent();
    }

    static void need(String... programs) {
        for (String program : programs) {
            Program.need(program);
        }
    }

    /** What the command wrote on standard output; its errors are left out. */
    static List<String> lines(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String text =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
        return text.lines().toList();
    }
}
