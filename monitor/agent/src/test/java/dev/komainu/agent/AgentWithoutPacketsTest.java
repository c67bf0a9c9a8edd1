package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.komainu.agent.lab.Lab;
import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.kit.Program;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An agent that cannot read packets: it still samples its host, and reports the remedy. */
class AgentWithoutPacketsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    Path directory;

    /**
     * A host without libpcap, simulated in a mount namespace where an empty file covers the
     * library.
     */
    @Test
    @Timeout(180)
    void agent_noLibpcap_reportsTheRemedyAndSamplesTheHost() throws Exception {
        Capability.need("mount namespaces", Capability.SYS_ADMIN);
        Path nothing = Files.writeString(directory.resolve("nothing"), "no library");
        String status = statusAfterSample(
                List.of(
                        "unshare",
                        "-m",
                        "sh",
                        "-c",
                        "for lib in $(ldconfig -p | sed -n 's/.*libpcap.* => //p'); do mount --bind '"
                                + nothing + "' \"$(readlink -f $lib)\"; done; exec \"$@\"",
                        "sh"),
                "lo");
        assertThat(status)
                .contains("\"code\":\"no-libpcap\"", "\"remedy\":\"apt-get install libpcap0.8\"");
        assertThat(errors()).contains("Fix: apt-get install libpcap0.8");
    }

    @Test
    @Timeout(180)
    void agent_noPermissionToCapture_reportsTheRemedyAndSamplesTheHost() throws Exception {
        String status = statusAfterSample(withoutCapture(), "lo");
        assertThat(status)
                .contains("\"code\":\"no-capture-permission\"", "on lo (needs root or CAP_NET_RAW)")
                .contains("\"remedy\":\"run as root, or with this right alone: ")
                .doesNotContain("setcap");
        assertThat(errors())
                .contains(
                        "No permission to capture on lo",
                        "Fix: run as root, or with this right alone: ");
    }

    /** Permission would not help against a wrong interface name. */
    @Test
    @Timeout(180)
    void agent_neitherPermissionNorSuchAnInterface_reportsTheInterface() throws Exception {
        String status = statusAfterSample(withoutCapture(), "nosuch0");
        assertThat(status)
                .contains("\"code\":\"no-such-interface\"", "nosuch0 (expected: one of ", "lo")
                .doesNotContain("no-capture-permission");
    }

    /**
     * Returns the command prefix that runs a program as this user, without NET_RAW where the user
     * has it.
     */
    private static List<String> withoutCapture() {
        if (!Capability.NET_RAW.isHeld()) {
            return List.of();
        }
        Program.need("setpriv");
        return List.of("setpriv", "--bounding-set=-net_raw", "--inh-caps=-net_raw");
    }

    /** Runs the agent until it has sampled its host. Returns the line of its source's status. */
    private String statusAfterSample(List<String> before, String interfaceName) throws Exception {
        List<String> command = new ArrayList<>(before);
        command.addAll(Lab.agent("--interface", interfaceName, "--port", "80", "--print"));
        Process agent = new ProcessBuilder(command)
                .redirectError(directory.resolve("errors").toFile())
                .start();
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(agent.getInputStream(), StandardCharsets.UTF_8))) {
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
            return status;
        } finally {
            agent.destroy();
            assertThatCode(() -> agent.waitFor(60, TimeUnit.SECONDS)).doesNotThrowAnyException();
            assertThat(agent.exitValue()).as("128 and SIGTERM").isEqualTo(143);
        }
    }

    private String errors() throws IOException {
        return Files.readString(directory.resolve("errors"));
    }
}
