package dev.komainu.organizer;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RunningProxy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command's signals and exit codes. */
class OrganizerServerTest {

    @TempDir
    Path directory;

    private final int control = freePort();
    private Path file;

    @BeforeEach
    void setUp() throws IOException {
        Path secret =
                Files.writeString(directory.resolve("secret"), "kf83Lq0ZxW7vTn2RbYc5Dm9JhGs1UePa");
        int port = freePort();
        file = Files.writeString(
                directory.resolve("organizer.yaml"),
                String.format(Locale.ROOT, """
                member: one
                listen: 127.0.0.1:%d
                line: 127.0.0.1:%d
                secret-file: %s
                meet: {seeds: ["127.0.0.1:%d"]}
                control: {listen: "127.0.0.1:%d"}
                """, port, freePort(), secret, port, control));
    }

    private static int run(String... arguments) {
        return new CommandLine(new OrganizerServer()).execute(arguments);
    }

    private String config() {
        return file.toString();
    }

    @Test
    void mistakesInSettings_are2_anAddressThatIsTaken_3_goodSettings_0() throws Exception {
        assertThat(run("--check", "--config", config())).isZero();
        assertThat(run("--print-settings", "--config", config())).isZero();
        assertThat(run("--config", directory.resolve("missing").toString())).isEqualTo(2);
        ServerSocket taken = new ServerSocket(control, 1, InetAddress.getByName("127.0.0.1"));
        try (taken) {
            assertThat(run("--config", config())).isEqualTo(3);
        }
        Files.writeString(file, Files.readString(file) + "detect: soon\n");
        assertThat(run("--check", "--config", config())).isEqualTo(2);
        assertThat(run("--config", config())).isEqualTo(2);
    }

    @Test
    void hup_reads_term_drains_codeIsTheSignals() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx96m",
                        "-cp",
                        System.getProperty(
                                "surefire.test.class.path", System.getProperty("java.class.path")),
                        OrganizerServer.class.getName(),
                        "--config",
                        config())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            await(lines, "  members  ");
            // The handler of reloads is installed after this line, and an earlier signal is
            // ignored: signals are sent until one is handled.
            Thread reloads = Thread.ofVirtual().start(() -> signalUntilInterrupted(process));
            await(lines, "Configuration 2 is in force");
            reloads.interrupt();
            reloads.join();
            RunningProxy.signal(process, "TERM");
            await(lines, "Komainu organizer drained");
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly().onExit().join();
        }
    }

    private static void signalUntilInterrupted(Process process) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                RunningProxy.signal(process, "HUP");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(BufferedReader lines, String text) throws IOException {
        String line = lines.readLine();
        while (line != null && !line.contains(text)) {
            line = lines.readLine();
        }
        assertThat(line).contains(text);
    }
}
