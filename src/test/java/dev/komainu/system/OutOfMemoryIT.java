package dev.komainu.system;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A part that runs out of heap ends with the JVM's exit code for it, and the launcher starts it
 * again and says why.
 */
class OutOfMemoryIT {

    /**
     * What {@code ./komainu up} does for one part: start it, look for the dead until told to stop.
     */
    private static final String ONE_PART = """
            set -uo pipefail
            ROOT=$1 DATA=$2
            for part in say machine build parts up; do . "$ROOT/.launcher/$part.sh"; done
            shift 2
            need_jdk
            mkdir -p "$DATA/log" "$DATA/run"
            declare -gA PART_PID=() PART_ARGS=() PART_DEATHS=() PART_HEAP=()
            PART_ORDER=() STOPPING=''
            start_part "$@"
            while [ ! -e "$DATA/stop" ]; do
              revive_the_dead
              sleep 0.1
            done
            stop_part "$1"
            """;

    /** The part alone in the foreground, with the switches that the launcher gives it. */
    private static final String FOREGROUND = """
            set -uo pipefail
            ROOT=$1
            for part in say machine build parts; do . "$ROOT/.launcher/$part.sh"; done
            shift
            need_jdk
            part_command "$@"
            exec "${JAVA_COMMAND[@]}" "${@:2}"
            """;

    @TempDir
    Path directory;

    private Process bash(Path said, String heap, String script, String... arguments)
            throws IOException {
        List<String> command =
                new ArrayList<>(List.of("bash", "-c", script, "bash", Platform.ROOT.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
        builder.environment().put("KOMAINU_JAVA_OPTIONS", heap);
        return builder.start();
    }

    /**
     * A configuration of half a million values, just as long as a file may be, takes more heap than
     * there is.
     */
    @ParameterizedTest
    @ValueSource(strings = {"agent", "organizer", "proxy"})
    void heapExhausted_endsWithThree(String part) throws Exception {
        Path said = directory.resolve("said.txt");
        Path config = Files.writeString(
                directory.resolve("large.yaml"), "listen: [" + "1,".repeat(500_000) + "1]\n");
        Process process =
                bash(said, "-Xms8m -Xmx8m", FOREGROUND, part, "--config", config.toString());
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        assertThat(Files.readString(said))
                .contains("Terminating due to java.lang.OutOfMemoryError: Java heap space");
        assertThat(process.waitFor()).isEqualTo(3);
    }

    /** Requests that wait for a silent origin take heap each, until there is none. */
    @Test
    void proxyUnderTooManyRequests_endsAndIsStartedAgain() throws Exception {
        Path said = directory.resolve("launcher.txt");
        Path log = directory.resolve("data/log/proxy.log");
        int listen = freePort();
        int control = freePort();
        List<Socket> clients = new ArrayList<>();
        Process launcher = null;
        try (ServerSocket origin = new ServerSocket(0, 4_096, InetAddress.getLoopbackAddress())) {
            launcher = bash(
                    said,
                    "-Xms4m -Xmx20m",
                    ONE_PART,
                    directory.resolve("data").toString(),
                    "proxy",
                    "--listen",
                    "127.0.0.1:" + listen,
                    "--control",
                    "127.0.0.1:" + control,
                    "--origin",
                    "http://127.0.0.1:" + origin.getLocalPort(),
                    "--memory",
                    "1MB");
            awaitHealthy(control);
            byte[] field = ("X: " + "x".repeat(4_000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 20_000 && !isTold(log); i++) {
                Socket client = new Socket();
                clients.add(client);
                ask(client, listen, i, field);
            }
            Awaitility.await("the launcher tells of it")
                    .atMost(Duration.ofSeconds(120))
                    .untilAsserted(() -> assertThat(Files.readString(said))
                            .contains(
                                    "proxy: stopped (exit code 3: out of memory (Java heap space, heap 20m)); "
                                            + "starting it again"));
            for (Socket client : clients) {
                client.close();
            }
            awaitHealthy(control);
        } finally {
            Files.createDirectories(directory.resolve("data"));
            Files.writeString(directory.resolve("data/stop"), "");
            if (launcher != null && !launcher.waitFor(60, TimeUnit.SECONDS)) {
                launcher.destroyForcibly();
            }
        }
    }

    /** Sends one request that is never answered; a proxy that is gone refuses it. */
    private static void ask(Socket client, int port, int number, byte[] field) {
        try {
            client.connect(
                    new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5_000);
            client.getOutputStream()
                    .write(("GET /" + number + " HTTP/1.1\r\nHost: a.example\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            client.getOutputStream().write(field);
            client.getOutputStream().write("\r\n".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException gone) {
            // It refuses because it ended, which is what the caller looks at next.
            return;
        }
    }

    private static boolean isTold(Path log) throws IOException {
        return Files.exists(log) && Files.readString(log).contains("OutOfMemoryError");
    }

    private static void awaitHealthy(int control) {
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest health = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + control + "/health"))
                .timeout(Duration.ofSeconds(10))
                .build();
        Awaitility.await("the proxy serves")
                .atMost(Duration.ofSeconds(120))
                .ignoreExceptions()
                .until(() -> http.send(health, HttpResponse.BodyHandlers.discarding())
                                .statusCode()
                        == 200);
    }
}
