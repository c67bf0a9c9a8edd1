package dev.komainu.proxy;

import static dev.komainu.proxy.CacheCluster.CACHE;
import static dev.komainu.proxy.CacheCluster.said;
import static dev.komainu.proxy.CacheCluster.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A purge at one of three proxies reaches all of them, at once or when they are back. */
class PurgeSpreadTest {

    private static final List<String> NAMES = List.of("one", "two", "three");

    @TempDir
    Path directory;

    private ScriptedOrigin origin;
    private CacheCluster cluster;

    @BeforeEach
    void setUp() throws Exception {
        origin = new ScriptedOrigin();
        cluster = new CacheCluster(directory);
        cluster.startObeying("one", CACHE, origin);
        cluster.startObeying("two", CACHE, origin);
        startThree();
        cluster.together(origin, NAMES);
    }

    private void startThree() throws Exception {
        cluster.start(
                "three",
                CACHE,
                "{copies: 100, patience: 1m}",
                "origin",
                origin.url(),
                "cache.memory",
                "1MB",
                "cache.policy",
                "lru",
                "cache.disk",
                directory.resolve("disk") + ":64MB");
    }

    @AfterEach
    void tearDown() throws IOException {
        cluster.close();
        origin.close();
    }

    /**
     * Repeats the purge until the response confirms it: a member that is just being connected may
     * be missing at first.
     */
    private void purge(String name, String order, String says) {
        until(() -> {
            HttpResponse<String> answer = cluster.ask(name, "POST", "/control/v1/purge", order);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            return answer.body().contains(says);
        });
    }

    private void everywhere(String path, String fields, String body) throws IOException {
        origin.ok(path, "Cache-Control: max-age=600\r\n" + fields, body);
        for (String name : NAMES) {
            cluster.get(name, path);
            assertThat(said(cluster.get(name, path))).startsWith("hit; ttl=");
        }
    }

    @Test
    void purge_ofAnyTarget_reachesAll_evenReturningMembers() throws Exception {
        everywhere("/by/url", "", "old");
        origin.ok("/by/url", "", "new");
        purge(
                "one",
                "{\"url\": \"http://test.example/by/url\"}",
                "\"done\":[\"three\",\"two\"],\"missing\":[]");
        newEverywhere("/by/url");

        everywhere("/by/prefix", "", "old");
        origin.ok("/by/prefix", "", "new");
        purge("two", "{\"prefix\": \"test.example/by/\"}", "\"done\":[\"one\",\"three\"]");
        newEverywhere("/by/prefix");

        // Tags are removed from responses to clients and other members: copies must be purged
        // nevertheless.
        everywhere("/by/tag", "Surrogate-Key: red\r\n", "old");
        origin.ok("/by/tag", "", "new");
        purge("one", "{\"tags\": [\"red\"]}", "\"done\":[\"three\",\"two\"]");
        newEverywhere("/by/tag");

        everywhere("/by/change", "", "old");
        origin.on("/by/change", (request, socket, out) -> {
            out.write(
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: 3\r\n\r\nnew"
                            .getBytes());
            return true;
        });
        try (RawClient client = new RawClient(cluster.address("three"))) {
            client.send(
                    "POST /by/change HTTP/1.1\r\nHost: test.example\r\nContent-Length: 0\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(200);
            // A client that changed an object never gets the old version, even in its next request.
            assertThat(client.get("/by/change").body()).isEqualTo("new");
        }
        until(() -> isNew("one", "/by/change") && isNew("two", "/by/change"));

        everywhere("/away", "", "old");
        for (int i = 0; i < 20; i++) {
            origin.ok("/filler/" + i, "Cache-Control: max-age=600\r\n", "f".repeat(100_000));
            cluster.get("three", "/filler/" + i);
        }
        until(() -> cluster.proxy("three").disk().figures().writes().waitingBytes() == 0);
        cluster.stop("three");
        origin.ok("/away", "Cache-Control: max-age=600\r\n", "new");
        purge("one", "{\"url\": \"http://test.example/away\"}", "\"done\":[\"two\"]");
        startThree();
        until(() -> isNew("three", "/away"));
    }

    private void newEverywhere(String path) throws IOException {
        for (String name : NAMES) {
            assertThat(cluster.get(name, path).body()).as(name + path).isEqualTo("new");
        }
    }

    private boolean isNew(String name, String path) {
        try {
            return cluster.get(name, path).body().equals("new");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
