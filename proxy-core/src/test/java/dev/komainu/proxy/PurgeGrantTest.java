package dev.komainu.proxy;

import static dev.komainu.proxy.CacheCluster.CACHE;
import static dev.komainu.proxy.CacheCluster.said;
import static dev.komainu.proxy.CacheCluster.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.proxy.kit.ScriptedOrigin;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two proxies of which one may announce everything, and the other only another site than the one that is asked for. */
class PurgeGrantTest {

    private static final String TOKEN = "a-token-of-enough-length";

    @TempDir
    Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private ScriptedOrigin origin;
    private CacheCluster cluster;

    @BeforeEach
    void start() throws Exception {
        origin = new ScriptedOrigin();
        cluster = new CacheCluster(directory);
        cluster.grant("all", "*/");
        cluster.grant("some", "other.example/");
        Path tokens = Files.writeString(directory.resolve("tokens"), TOKEN + "\n");
        start("all", CACHE, tokens);
        start("some", "{prefix: other.example/, cache: true}", tokens);
    }

    private void start(String name, String serve, Path tokens) throws Exception {
        cluster.start(
                name,
                serve,
                "{copies: 100, patience: 1m}",
                "origin",
                origin.url(),
                "control.listen",
                "127.0.0.1:0",
                "control.token-file",
                tokens.toString());
    }

    @AfterEach
    void stop() throws IOException {
        cluster.close();
        origin.close();
        http.close();
    }

    private String ask(String name, String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                        + cluster.proxy(name).controlAddress().getPort() + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Authorization", "Bearer " + TOKEN)
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String purge(String name, String order) {
        return ask(name, "POST", "/control/v1/purge", order);
    }

    private void storedAtBoth(String path) throws IOException {
        origin.ok(path, "Cache-Control: max-age=600\r\nSurrogate-Key: red\r\n", "old");
        for (String name : List.of("all", "some")) {
            cluster.get(name, path);
            assertThat(said(cluster.get(name, path))).startsWith("hit; ttl=");
        }
        origin.ok(path, "Cache-Control: max-age=600\r\n", "new");
    }

    @Test
    void orderOutsideItsGiversGrant_isToldNobody_andItsGiverHearsWhy() throws Exception {
        // They know each other.
        until(() ->
                purge("some", "{\"url\": \"http://other.example/\"}").contains("\"done\":[\"all\"],\"missing\":[]"));
        storedAtBoth("/x");
        for (String order : List.of(
                "{\"url\": \"http://test.example/x\"}",
                "{\"prefix\": \"test.example/\"}",
                "{\"prefix\": \"other.example.org/\"}",
                "{\"tags\": [\"red\"]}",
                "{\"all\": true}")) {
            assertThat(purge("some", order))
                    .as(order)
                    .contains("\"done\":[],\"missing\":[],\"refused\":{\"some\":\"outside-grant\"}");
        }
        assertThat(cluster.get("all", "/x").body()).isEqualTo("old");
        assertThat(ask("some", "GET", "/metrics", ""))
                .contains("komainu_organizer_requests_total{kind=\"purges-withheld\"} 5");

        // Who may have everything purged has it purged at the other, too.
        assertThat(purge("all", "{\"tags\": [\"red\"]}")).contains("\"done\":[\"some\"],\"missing\":[]");
        assertThat(cluster.get("some", "/x").body()).isEqualTo("new");
        assertThat(cluster.get("all", "/x").body()).isEqualTo("new");
    }
}
