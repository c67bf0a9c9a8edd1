package dev.komainu.agent.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs the programs we compare ourselves with. */
final class Tool {

    private static final Map<String, String> PACKAGES =
            Map.of("ab", "apache2-utils", "nghttp", "nghttp2-client", "h2load", "nghttp2-client", "tc", "iproute2");

    private Tool() {}

    static boolean exists(String program) {
        return Stream.of("/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/bin/", "/sbin/")
                .anyMatch(place -> Files.isExecutable(Path.of(place + program)));
    }

    static void need(String... programs) {
        for (String program : programs) {
            assumeTrue(
                    exists(program),
                    program + ": not found (expected: apt-get install " + PACKAGES.getOrDefault(program, program)
                            + ")");
        }
    }

    /** What the command wrote on standard output; its errors are left out. */
    static List<String> lines(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
        return text.lines().toList();
    }
}
