package dev.komainu.central;

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

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private PostgresqlServer server;
    private String database;
    private final List<CentreProcess> centres = new ArrayList<>();

    @BeforeEach
    void setUp() {
        assumeTrue(PostgresqlServer.isDebianHere(), "PostgreSQL 15: not installed here");
        server = PostgresqlServer.debian();
        database = server.createDatabase(null);
    }

    @AfterEach
    void tearDown() {
        centres.forEach(CentreProcess::close);
        if (server != null) {
            server.close();
        }
    }

    @Test
    void holderIsKilled_otherOneTakesOver_withUsersSessionsAndTokens_noBatchTwice()
            throws Exception {
        CentreProcess one = start("one", true);
        one.awaitJudge(1);
        CentralClient admin = one.administrator();
        String token =
                Files.readString(directory.resolve("one-tokens/ingest.token")).strip();

        CentreProcess two = start("two", true);
        Awaitility.await("the second one waits")
                .atMost(PATIENCE)
                .until(() -> two.says("Another central service judges: "));
        two.awaitAnswers();
        CentralClient there = two.login();
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
        two.awaitJudge(2);

        CentreProcess again = start("one", true);
        Awaitility.await("the first one waits now")
                .atMost(PATIENCE)
                .until(() -> again.says("Another central service judges: "));
        again.awaitAnswers();
        awaitServices(again.login(), "a:80", "b:80");
    }

    @Test
    void holderStandsStill_itsLaterWritesAreRefused_andItEnds() throws Exception {
        CentreProcess one = start("one", true);
        one.awaitJudge(1);
        one.administrator();
        String token =
                Files.readString(directory.resolve("one-tokens/ingest.token")).strip();
        CentreProcess two = start("two", true);
        Awaitility.await("the second one waits")
                .atMost(PATIENCE)
                .until(() -> two.says("Another central service judges: "));

        one.freeze();
        two.awaitJudge(2);
        one.thaw();

        assertThat(one.process().waitFor()).isEqualTo(4);
        assertThat(one.says("of this central service is over")).isTrue();
        assertThat(sightings(two, token, "c", 3)).isEqualTo(200);
    }

    @Test
    void secondOneAlone_doesNotStart_andSaysWhy() throws Exception {
        CentreProcess one = start("one", true);
        one.awaitJudge(1);

        CentreProcess two = start("two", false);

        assertThat(two.process().waitFor()).isEqualTo(1);
        assertThat(Files.readString(two.output()))
                .contains("another central service uses it: ")
                .contains("(expected: a database of its own, or komainu.lease.address at both)");
    }

    @Test
    void eventStream_throughTheOneThatWaits_isReadAtOnce() throws Exception {
        CentreProcess one = start("one", true);
        one.awaitJudge(1);
        one.administrator();
        CentreProcess two = start("two", true);
        two.awaitAnswers();
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

    private CentreProcess start(String name, boolean shared) throws IOException {
        CentreProcess centre = CentreProcess.start(directory, name, server, database, shared);
        centres.add(centre);
        return centre;
    }

    /** Reports a service, in a batch of a name of its own, and returns the status. */
    private static int sightings(CentreProcess centre, String token, String name, int batch) {
        String line = """
                {"type":"serviceSighting","service":"%1$s:80","node":"%1$s","name":"nginx :80","kind":"nginx","addresses":[],"settings":[],"atMicros":%2$d}
                """.replace("%1$s", name)
                .replace("%2$d", Long.toString(System.currentTimeMillis() * 1_000));
        return centre.status(centre.stranger()
                .withToken(token)
                .withHeader("Content-Type", "application/x-ndjson")
                .withHeader("Komainu-Batch", "agent@" + name + "/7/" + batch)
                .request("/api/v1/ingest")
                .POST(HttpRequest.BodyPublishers.ofString(line)));
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

    private static String get(CentreProcess centre, String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(
                                            URI.create("http://127.0.0.1:" + centre.port() + path))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }
}
