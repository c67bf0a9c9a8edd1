package dev.komainu.proxy;

import static dev.komainu.proxy.CacheCluster.CACHE;
import static dev.komainu.proxy.CacheCluster.said;
import static dev.komainu.proxy.CacheCluster.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two proxies: one may announce everything, the other only a site other than the requested one. */
class PurgeGrantTest {

    @TempDir
    Path directory;

    private ScriptedOrigin origin;
    private CacheCluster cluster;

    @BeforeEach
    void setUp() throws Exception {
        origin = new ScriptedOrigin();
        cluster = new CacheCluster(directory);
        cluster.grant("all", "*/");
        cluster.grant("some", "other.example/");
        cluster.startObeying("all", CACHE, origin);
        cluster.startObeying("some", "{prefix: other.example/, cache: true}", origin);
    }

    @AfterEach
    void tearDown() throws IOException {
        cluster.close();
        origin.close();
    }

    private String purge(String name, String order) {
        return cluster.ask(name, "POST", "/control/v1/purge", order).body();
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
    void purgeOutsideItsGrant_isNotAnnounced_andIsRefused() throws Exception {
        // They know each other.
        until(() -> purge("some", "{\"url\": \"http://other.example/\"}")
                .contains("\"done\":[\"all\"],\"missing\":[]"));
        storedAtBoth("/x");
        for (String order : List.of(
                "{\"url\": \"http://test.example/x\"}",
                "{\"prefix\": \"test.example/\"}",
                "{\"prefix\": \"other.example.org/\"}",
                "{\"tags\": [\"red\"]}",
                "{\"all\": true}")) {
            assertThat(purge("some", order))
                    .as(order)
                    .contains(
                            "\"done\":[],\"missing\":[],\"refused\":{\"some\":\"outside-grant\"}");
        }
        assertThat(cluster.get("all", "/x").body()).isEqualTo("old");
        assertThat(cluster.ask("some", "GET", "/metrics", "").body())
                .contains("komainu_organizer_requests_total{kind=\"purges-withheld\"} 5");

        // A proxy that may purge everything purges it at the other, too.
        assertThat(purge("all", "{\"tags\": [\"red\"]}"))
                .contains("\"done\":[\"some\"],\"missing\":[]");
        assertThat(cluster.get("some", "/x").body()).isEqualTo("new");
        assertThat(cluster.get("all", "/x").body()).isEqualTo("new");
    }
}
