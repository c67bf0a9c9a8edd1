package dev.komainu.agent.compare;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Captures of real nginx and Apache with real clients over a lossy link, recorded anew by every run. */
final class RealServers {

    private RealServers() {}

    /** Skips the test, with the reason, where this machine cannot do it. Leaves five captures in the directory. */
    static void record(Path directory) throws IOException, InterruptedException {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root for network namespaces");
        Tool.need("nginx", "apache2", "tcpdump", "curl", "ab", "openssl", "unshare", "nsenter", "tc");
        Path script = directory.resolve("record.sh");
        try (InputStream in = RealServers.class.getResourceAsStream("/compare/record.sh")) {
            Files.copy(Objects.requireNonNull(in), script);
        }
        new ProcessBuilder("chmod", "755", directory.toString()).start().waitFor();
        Path errors = directory.resolve("record.err");
        Process process = new ProcessBuilder(
                        "bash",
                        script.toString(),
                        directory.toString(),
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        Path.of("target/test-classes").toAbsolutePath().toString())
                .redirectErrorStream(true)
                .redirectOutput(errors.toFile())
                .start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            throw new AssertionError("recording took more than 60 s: " + Files.readString(errors));
        }
        String said = Files.readString(errors);
        assumeTrue(!said.contains("unshare failed"), "no network namespaces here: " + said);
        if (process.exitValue() != 0) {
            throw new AssertionError("recording failed (" + process.exitValue() + "): " + said);
        }
    }
}
