package dev.komainu.central;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
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
        Files.writeString(data.resolve("central.yml"), """
                komainu:
                  hosts: [a.example, b.example]
                  store:
                    memory: 128mb
                """);

        Ended ended =
                start("--print-settings", "--komainu.stream.queue=100", "--config=central.yml");

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
    void startInAForeignDirectory_withAHostileApplicationYml_doesNotReadIt() throws Exception {
        String hostile = """
                komainu:
                  hosts: [hostile.example]
                spring:
                  datasource:
                    url: "jdbc:h2:mem:x;INIT=RUNSCRIPT FROM 'hostile.sql'"
                """;
        Files.createDirectories(data.resolve("config/sub"));
        for (String name : List.of(
                "application.yml", "config/application.yml", "config/sub/application.yml")) {
            Files.writeString(data.resolve(name), hostile);
        }

        Ended ended = start("--print-settings");

        assertThat(ended.code()).isZero();
        assertThat(ended.output()).doesNotContain("hostile");
    }

    @Test
    void startArguments_ofAnotherPlaceForSettings_areRefused() throws Exception {
        Ended ended = start("--spring.config.additional-location=file:./", "--config=absent.yml");

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.output().lines())
                .containsExactly(
                        "--spring.config.additional-location=file:./: not a setting (expected: --config=FILE)",
                        "--config=absent.yml: cannot be read (expected: a file that ends in .yml, .yaml or .properties)");
    }

    @Test
    void localUser_readsDataDirectory_isKeptOut() throws Exception {
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path database = Files.createFile(data.resolve("control.trace.db"));
        Files.setPosixFilePermissions(database, PosixFilePermissions.fromString("rw-r--r--"));
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Ended ended = start("--server.port=" + taken.getLocalPort());

            assertThat(ended.output()).contains("was accessible to other users");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
                .isEqualTo("rwx------");
        try (Stream<Path> kept = Files.walk(data)) {
            assertThat(kept.filter(Files::isRegularFile))
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(file)))
                            .as(file.toString())
                            .isEqualTo("rw-------"));
        }
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
    void start_databaseThatDoesNotRespond_isToldInOneLine() throws Exception {
        Ended ended = start("--komainu.control.url=jdbc:postgresql://127.0.0.1:1/komainu");

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.output())
                .contains(
                        "komainu.control.url: jdbc:postgresql://127.0.0.1:1/komainu: does not respond"
                                + " (expected: a PostgreSQL server 15 or newer that responds)")
                .doesNotContain("\tat ");
        assertThat(data.resolve("control.mv.db")).doesNotExist();
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
        return startWith("-Xmx384m", arguments);
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
