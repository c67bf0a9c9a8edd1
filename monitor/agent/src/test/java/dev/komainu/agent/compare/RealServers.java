package dev.komainu.agent.compare;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.telemetry.kit.Capability;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Captures of real nginx and Apache with real clients, recorded anew by every run. */
final class RealServers {

    /** Ten to twenty seconds are usual; the namespaces live a little longer than this. */
    private static final int PATIENCE_SECONDS = 180;

    private RealServers() {}

    /** Over a lossy link: leaves five captures in the directory. */
    static void record(Path directory) throws IOException, InterruptedException {
        Tool.need("ab");
        run("record.sh", directory);
    }

    /** TLS and HTTP/2: leaves two captures in the directory, and their keys. */
    static void recordTls(Path directory) throws IOException, InterruptedException {
        Tool.need("nghttp", "h2load", "timeout");
        run("record-tls.sh", directory);
    }

    /** Skips the test, with the reason, where this machine cannot do it. */
    private static void run(String name, Path directory) throws IOException, InterruptedException {
        Capability.need("network namespaces", Capability.SYS_ADMIN, Capability.NET_ADMIN);
        Capability.need("captures of tcpdump", Capability.NET_RAW);
        Capability.need("workers of nginx and Apache", Capability.SETUID);
        Tool.need("nginx", "apache2", "tcpdump", "curl", "openssl", "unshare", "nsenter", "tc");
        Path script = directory.resolve(name);
        try (InputStream in = RealServers.class.getResourceAsStream("/compare/" + name)) {
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
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            throw new AssertionError("recording took more than " + PATIENCE_SECONDS + " s: "
                    + Files.readString(errors));
        }
        String said = Files.readString(errors);
        assumeTrue(!said.contains("unshare failed"), "no network namespaces here: " + said);
        if (process.exitValue() != 0) {
            throw new AssertionError("recording failed (" + process.exitValue() + "): " + said);
        }
    }
}
