package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of a start as a process of its own: a service that cannot start prints the reason in plain
 * lines and exits with code 1.
 */
@Timeout(180)
class StartTest {

    @TempDir
    private Path data;

    private record Ended(int code, String output) {}

    @Test
    void start_severalWrongSettings_printsAllAndNothingElse() throws Exception {
        Ended ended = start(
                "--komainu.listen=nowhere", "--komainu.colour=red", "--komainu.stream.clients=0");

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.output().lines())
                .hasSize(3)
                .anyMatch(line -> line.startsWith(
                        "komainu.listen: nowhere in commandLineArgs (expected: ADDRESS:PORT"))
                .anyMatch(line ->
                        line.startsWith("komainu.colour in commandLineArgs: unknown setting (")
                                && line.contains("expected one of komainu."))
                .contains("komainu.stream.clients: 0 in commandLineArgs (expected: 1 to 10,000)");
    }

    @Test
    void start_printSettings_listsEachWithItsPlace() throws Exception {
        Files.writeString(data.resolve("application.yml"), """
                komainu:
                  hosts: [a.example, b.example]
                  store:
                    memory: 128mb
                """);

        Ended ended = start("--print-settings", "--komainu.stream.queue=100");

        assertThat(ended.code()).isZero();
        assertThat(ended.output().lines())
                .allMatch(line -> line.startsWith("komainu."))
                .contains(
                        "komainu.listen: 127.0.0.1:7600  # default",
                        "komainu.stream.queue: 100  # commandLineArgs")
                .anyMatch(line ->
                        line.matches("komainu.hosts: a.example,b.example {2}# Config resource .*"))
                .anyMatch(line ->
                        line.matches("komainu.store.memory: 128mb {2}# Config resource .*"));
    }

    @Test
    void start_help_printsAndExits() throws Exception {
        Ended ended = start("--help");

        assertThat(ended.code()).isZero();
        assertThat(ended.output())
                .startsWith("Usage: komainu central")
                .contains("--komainu.data=DIR");
    }

    @Test
    void start_noSetting_isWrongUsage() throws Exception {
        Ended ended = start("data=elsewhere");

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.output())
                .isEqualToIgnoringNewLines(
                        "data=elsewhere: not a setting (expected: --SETTING=VALUE; see --help)");
    }

    @Test
    void start_portInUse_namesItAndAnother() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();

            Ended ended = start("--server.port=" + port);

            assertThat(ended.code()).isEqualTo(1);
            assertThat(ended.output())
                    .contains("komainu.listen: 127.0.0.1:" + port
                            + " (in use; expected: a free port, e.g. --server.port=" + (port + 1)
                            + ")")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void start_heapTooSmallForTheLimits_isRefusedInOneSentence() throws Exception {
        Ended ended = startWith("-Xmx100m");

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.output().lines())
                .singleElement()
                .asString()
                .matches("heap: \\d+ MB \\(expected: at least \\d+ MB: .*\\)");
    }

    private Ended start(String... arguments) throws IOException, InterruptedException {
        return startWith("-Xmx160m", arguments);
    }

    private Ended startWith(String heap, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                heap,
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                CentralApplication.class.getName(),
                "--komainu.data=" + data));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(data.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }
}
