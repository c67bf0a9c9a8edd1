package dev.komainu.central;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.central.control.PostgresqlServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
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
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two central services as processes, with one PostgreSQL: one judges, the other forwards to it and
 * takes over.
 */
class TwoCentresTest {

    private static final String PASSWORD = "correct horse battery";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private PostgresqlServer server;
    private String database;
    private final List<Centre> centres = new ArrayList<>();

    /** One process. */
    private record Centre(String name, int port, Path output, Process process) {

        CentralClient stranger() {
            return CentralClient.at(port);
        }

        boolean says(String text) {
            try {
                return Files.readString(output).contains(text);
            } catch (IOException e) {
                return false;
            }
        }
    }

    @BeforeEach
    void setUp() {
        assumeTrue(PostgresqlServer.isDebianHere(), "PostgreSQL 15: not installed here");
        server = PostgresqlServer.debian();
        database = server.createDatabase(null);
    }

    @AfterEach
    void tearDown() {
        centres.forEach(centre -> centre.process().destroyForcibly());
        if (server != null) {
            server.close();
        }
    }

    @Test
    void holderIsKilled_otherOneTakesOver_withUsersSessionsAndTokens_noBatchTwice()
            throws Exception {
        Centre one = start("one", true);
        awaitJudge(one, 1);
        CentralClient admin = administrator(one);
        String token =
                Files.readString(directory.resolve("one-tokens/ingest.token")).strip();

        Centre two = start("two", true);
        Awaitility.await("the second one waits")
                .atMost(PATIENCE)
                .until(() -> two.says("Another central service judges: "));
        awaitAnswers(two);
        CentralClient there = two.stranger().login("admin", PASSWORD);
        assertThat(there.get("/api/v1/session").expect(200).body()).contains("admin");
        assertThat(sightings(two, token, "a", 1)).isEqualTo(200);
        awaitServices(admin, "a:80");
        assertThat(audit(admin))
                .as("the client's own address, not the other centre's")
                .contains("127.0.0.1");
        assertThat(get(two, "/")).as("the console's files").contains("<!doctype html>");

        long killed = System.nanoTime();
        one.process().destroyForcibly().waitFor();
        Awaitility.await("judged again")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> sightings(two, token, "b", 2) == 200);
        Duration gap = Duration.ofNanos(System.nanoTime() - killed);
        System.out.println("Taken over after " + gap.toMillis() + " ms");

        assertThat(there.get("/api/v1/session").expect(200).body())
                .as("a session of before")
                .contains("admin");
        awaitServices(there, "a:80", "b:80");
        awaitJudge(two, 2);

        Centre again = start("one", true);
        Awaitility.await("the first one waits now")
                .atMost(PATIENCE)
                .until(() -> again.says("Another central service judges: "));
        awaitAnswers(again);
        awaitServices(again.stranger().login("admin", PASSWORD), "a:80", "b:80");
    }

    @Test
    void holderStandsStill_itsLaterWritesAreRefused_andItEnds() throws Exception {
        Centre one = start("one", true);
        awaitJudge(one, 1);
        administrator(one);
        String token =
                Files.readString(directory.resolve("one-tokens/ingest.token")).strip();
        Centre two = start("two", true);
        Awaitility.await("the second one waits")
                .atMost(PATIENCE)
                .until(() -> two.says("Another central service judges: "));

        signal(one, "STOP");
        awaitJudge(two, 2);
        signal(one, "CONT");

        assertThat(one.process().waitFor()).isEqualTo(4);
        assertThat(one.says("of this central service is over")).isTrue();
        assertThat(sightings(two, token, "c", 3)).isEqualTo(200);
    }

    @Test
    void secondOneAlone_doesNotStart_andSaysWhy() throws Exception {
        Centre one = start("one", true);
        awaitJudge(one, 1);

        Centre two = start("two", false);

        assertThat(two.process().waitFor()).isEqualTo(1);
        assertThat(Files.readString(two.output()))
                .contains("another central service uses it: ")
                .contains("(expected: a database of its own, or komainu.lease.address at both)");
    }

    @Test
    void eventStream_throughTheOneThatWaits_isReadAtOnce() throws Exception {
        Centre one = start("one", true);
        awaitJudge(one, 1);
        administrator(one);
        Centre two = start("two", true);
        awaitAnswers(two);
        String token =
                Files.readString(directory.resolve("one-tokens/read.token")).strip();

        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<InputStream> stream = client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + two.port()
                                    + "/api/v1/stream?topics=services"))
                            .header("Authorization", "Bearer " + token)
                            .build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            assertThat(stream.statusCode()).isEqualTo(200);
            try (BufferedReader lines = new BufferedReader(
                    new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
                Set<String> seen = new TreeSet<>();
                for (String line = lines.readLine(); seen.size() < 3; line = lines.readLine()) {
                    if (line.startsWith("data: ")) {
                        seen.add(line);
                    }
                }
                assertThat(seen).hasSize(3);
            }
        }
    }

    private Centre start(String name, boolean shared) throws IOException {
        int port = freePort();
        Path output = directory.resolve(name + "-" + port + ".log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Xmx400m",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                CentralApplication.class.getName(),
                "--komainu.listen=127.0.0.1:" + port,
                "--server.port=" + port,
                "--komainu.data=" + directory.resolve(name),
                "--komainu.bootstrap-tokens=" + directory.resolve(name + "-tokens"),
                "--komainu.bootstrap-parts=any",
                "--komainu.control.url=" + server.url(database),
                "--komainu.control.user=" + PostgresqlServer.USER,
                "--komainu.control.password-file=" + server.passwordFile()));
        if (shared) {
            command.add("--komainu.lease.address=http://127.0.0.1:" + port);
        }
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        Centre centre = new Centre(name, port, output, process);
        centres.add(centre);
        return centre;
    }

    private static void awaitJudge(Centre centre, long epoch) {
        Awaitility.await(centre.name() + " judges")
                .atMost(PATIENCE)
                .until(() -> centre.says("judges from now on: epoch " + epoch));
        awaitAnswers(centre);
    }

    private static void awaitAnswers(Centre centre) {
        Awaitility.await(centre.name() + " answers")
                .atMost(PATIENCE)
                .until(() -> status(
                                centre,
                                centre.stranger().request("/api/v1/services").GET())
                        == 401);
    }

    private CentralClient administrator(Centre centre) throws IOException {
        String oneTime = Files.readString(directory.resolve(centre.name() + "/first-password"))
                .strip();
        centre.stranger()
                .login("admin", oneTime)
                .put(
                        "/api/v1/session/password",
                        Map.of("currentPassword", oneTime, "newPassword", PASSWORD))
                .expect(204);
        return centre.stranger().login("admin", PASSWORD);
    }

    /** Reports a service, in a batch of a name of its own, and returns the status. */
    private static int sightings(Centre centre, String token, String name, int batch) {
        String line = """
                {"type":"serviceSighting","service":"%1$s:80","node":"%1$s","name":"nginx :80","kind":"nginx","addresses":[],"settings":[],"atMicros":%2$d}
                """.replace("%1$s", name)
                .replace("%2$d", Long.toString(System.currentTimeMillis() * 1_000));
        return status(
                centre,
                centre.stranger()
                        .withToken(token)
                        .withHeader("Content-Type", "application/x-ndjson")
                        .withHeader("Komainu-Batch", "agent@" + name + "/7/" + batch)
                        .request("/api/v1/ingest")
                        .POST(HttpRequest.BodyPublishers.ofString(line)));
    }

    /** Sends a request; not by the client's own methods, because a centre may be on its way. */
    private static int status(Centre centre, HttpRequest.Builder request) {
        try {
            return centre.stranger()
                    .http()
                    .send(
                            request.timeout(Duration.ofSeconds(10)).build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void awaitServices(CentralClient client, String... services) {
        Awaitility.await(String.join(", ", services))
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                client.get("/api/v1/services").expect(200).body())
                        .contains(services));
    }

    private static String audit(CentralClient admin) {
        return admin.get("/api/v1/audit").expect(200).body();
    }

    private static String get(Centre centre, String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(
                                            URI.create("http://127.0.0.1:" + centre.port() + path))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    private static void signal(Centre centre, String signal) throws Exception {
        new ProcessBuilder("kill", "-" + signal, Long.toString(centre.process().pid()))
                .start()
                .waitFor();
    }
}
