package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A host without libpcap, played in a mount namespace where an empty file lies over the library. Needs root. */
class MissingLibpcapTest {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    Path directory;

    @Test
    @Timeout(180)
    void agent_noLibpcap_saysHowToMendItAndSamplesTheHost() throws Exception {
        Path nothing = Files.writeString(directory.resolve("nothing"), "no library");
        String java = ProcessHandle.current().info().command().orElse("java");
        Process agent = new ProcessBuilder(
                        "unshare",
                        "-m",
                        "sh",
                        "-c",
                        "for lib in $(ldconfig -p | sed -n 's/.*libpcap.* => //p'); do mount --bind '" + nothing
                                + "' \"$(readlink -f $lib)\"; done; exec \"$@\"",
                        "sh",
                        java,
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MonitorAgent.class.getName(),
                        "--interface",
                        "lo",
                        "--port",
                        "80",
                        "--print")
                .redirectError(directory.resolve("errors").toFile())
                .start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(agent.getInputStream(), StandardCharsets.UTF_8))) {
            String status = "";
            boolean sampled = false;
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while ((!sampled || status.isEmpty()) && System.nanoTime() < deadline) {
                String line = lines.readLine();
                assertThat(line).as("the agent goes on").isNotNull();
                sampled |= line.contains("\"type\":\"hostSample\"");
                status = line.contains("\"type\":\"sourceStatus\"") ? line : status;
            }
            assertThat(sampled).isTrue();
            assertThat(status).contains("\"code\":\"no-libpcap\"", "\"remedy\":\"apt-get install libpcap0.8\"");
            assertThat(Files.readString(directory.resolve("errors"))).contains("Mend: apt-get install libpcap0.8");
        } finally {
            agent.destroy();
            assertThatCode(() -> agent.waitFor(60, TimeUnit.SECONDS)).doesNotThrowAnyException();
        }
    }
}
