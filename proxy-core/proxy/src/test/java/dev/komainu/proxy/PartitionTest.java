package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.proxy.cache.partition.PartitionFigures;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A divided cache in the whole proxy: the priority rules, the rights to change them, and the
 * reports on them.
 */
class PartitionTest {

    private static final String CONFIG = "config-config-config";
    private static final String READER = "reader-reader-reader";
    private static final int LENGTH = 50_000;
    private static final String STORED = "Cache-Control: max-age=600\r\n";

    @TempDir
    Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private ScriptedOrigin origin;
    private ReloadableProxy proxy;

    @BeforeEach
    void setUp() throws Exception {
        Path tokens = Files.writeString(
                directory.resolve("tokens"), CONFIG + " config\n" + READER + " read\n");
        origin = new ScriptedOrigin();
        for (int i = 0; i < 60; i++) {
            origin.ok("/first/" + i, STORED, "x".repeat(LENGTH));
            origin.ok("/other/" + i, STORED, "x".repeat(LENGTH));
        }
        proxy = new ReloadableProxy(
                "origin",
                origin.url(),
                "cache.memory",
                "1MB",
                "cache.policy",
                "lru",
                "cache.partition",
                "partition",
                "cache.priority",
                "/first/",
                "manager.allow",
                "127.0.0.1",
                "control.listen",
                "127.0.0.1:0",
                "control.token-file",
                tokens.toString());
    }

    @AfterEach
    void tearDown() throws Exception {
        proxy.close();
        origin.close();
        http.close();
    }

    private HttpResponse<String> ask(String method, String path, String token, String body)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + proxy.proxy.controlAddress().getPort() + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> order(String body) throws Exception {
        return ask("PUT", "/control/v1/partition", CONFIG, body);
    }

    private static void get(RawClient client, String prefix, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            assertThat(client.get(prefix + i).status()).isEqualTo(200);
        }
    }

    private PartitionFigures partition() {
        return proxy.proxy.partition();
    }

    @Test
    void whatHasPriority_outlivesASweepOfTheRest() throws Exception {
        try (RawClient client = proxy.client()) {
            // The floor, a fifth of the cache, holds three.
            get(client, "/first/", 0, 3);
            get(client, "/other/", 0, 60);
            get(client, "/first/", 0, 3);
            for (int i = 0; i < 3; i++) {
                assertThat(origin.count("/first/" + i)).isEqualTo(1);
            }
            assertThat(client.get("/other/0").head()).contains("fwd=miss");
            assertThat(partition().guarded().bytes()).isBetween(3L * LENGTH, 4L * LENGTH);
        }
    }

    @Test
    void fullProtectedPool_underTinyLfu_storesRepeatedlyRequestedObjects() throws Exception {
        try (ReloadableProxy other = new ReloadableProxy(
                        "origin",
                        origin.url(),
                        "cache.memory",
                        "1MB",
                        "cache.partition",
                        "partition",
                        "cache.priority",
                        "/first/");
                RawClient client = other.client()) {
            get(client, "/other/", 0, 60);
            get(client, "/first/", 0, 60);
            long turnedAway = other.proxy.partition().turnedAway();
            assertThat(turnedAway).isPositive();
            // The last object of the first round was unknown to a full pool.
            assertThat(client.get("/first/59").field("Cache-Status"))
                    .contains("fwd=")
                    .contains("stored");
            assertThat(origin.count("/first/59")).isEqualTo(2);
            assertThat(other.proxy.partition().turnedAway()).isEqualTo(turnedAway);
        }
    }

    @Test
    void fullProtectedPool_concurrentMissesOfANewObject_fetchOnce() throws Exception {
        CountDownLatch both = new CountDownLatch(1);
        origin.on("/first/new", (request, socket, out) -> {
            both.await();
            out.write(("HTTP/1.1 200 OK\r\nContent-Length: " + LENGTH + "\r\n" + STORED + "\r\n"
                            + "x".repeat(LENGTH))
                    .getBytes(StandardCharsets.US_ASCII));
            return true;
        });
        try (ReloadableProxy other = new ReloadableProxy(
                        "origin",
                        origin.url(),
                        "cache.memory",
                        "1MB",
                        "cache.partition",
                        "partition",
                        "cache.priority",
                        "/first/");
                RawClient one = other.client();
                RawClient two = other.client()) {
            get(one, "/other/", 0, 60);
            get(one, "/first/", 0, 60);
            one.send("GET /first/new HTTP/1.1\r\nHost: test.example\r\n\r\n");
            two.send("GET /first/new HTTP/1.1\r\nHost: test.example\r\n\r\n");
            Awaitility.await().until(() -> other.proxy.figures().counters().inFlight == 2);
            both.countDown();
            assertThat(one.read(false).status()).isEqualTo(200);
            assertThat(two.read(false).status()).isEqualTo(200);
            assertThat(origin.count("/first/new")).isEqualTo(1);
        }
    }

    @Test
    void otherPrefixes_byReloadOrOrder_moveWhatIsStored() throws Exception {
        try (RawClient client = proxy.client()) {
            get(client, "/first/", 0, 3);
            get(client, "/other/", 0, 3);
            long bytes = partition().guarded().bytes();
            assertThat(proxy.reload("cache.priority", "/other/,/none/").applied())
                    .containsExactly("cache.priority");
            Awaitility.await().until(() -> partition().settled());
            assertThat(partition().moved()).isEqualTo(6);
            assertThat(partition().guarded().bytes()).isEqualTo(bytes);
            assertThat(order("{\"mode\":\"single\"}").body()).contains("\"mode\":\"single\"");
            Awaitility.await().until(() -> partition().settled());
            assertThat(partition().guarded().bytes()).isZero();
            get(client, "/first/", 0, 3);
            get(client, "/other/", 0, 3);
            for (int i = 0; i < 3; i++) {
                assertThat(origin.count("/first/" + i)).isEqualTo(1);
                assertThat(origin.count("/other/" + i)).isEqualTo(1);
            }
            // An ordered change ends with the next reload, which reads the configuration.
            proxy.reload("cache.partition-floor", "30");
            assertThat(partition().settings().mode().text()).isEqualTo("partition");
            assertThat(partition().settings().floorPercent()).isEqualTo(30);
        }
    }

    @Test
    void reload_needsTheScopeConfig_andReportsAllInvalidValues() throws Exception {
        assertThat(ask("PUT", "/control/v1/partition", READER, "{}").statusCode())
                .isEqualTo(403);
        assertThat(ask("PUT", "/control/v1/partition", "", "{}").statusCode()).isEqualTo(401);
        assertThat(ask("POST", "/control/v1/partition", CONFIG, "{}").statusCode())
                .isEqualTo(405);
        assertThat(order("{}").statusCode()).isEqualTo(200);
        HttpResponse<String> refused = order(
                "{\"mode\":\"both\",\"priority\":[\"/a b\"],\"floorPercent\":\"much\",\"alpha\":20}");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body())
                .contains("mode: both (expected: single, basic or partition)")
                .contains("priority: /a b (expected: /PATH, HOST or HOST/PATH; ")
                .contains("floorPercent: much (expected: a whole number)")
                .contains("alpha: unknown (expected: some of ");
        assertThat(order("{\"priority\":[],\"dampingPercent\":0}").body())
                .contains("cache.priority: empty (expected: ")
                .contains("cache.partition-damping: 0 (expected: 1 to 100");
        assertThat(partition().settings().dampingPercent()).isEqualTo(20);
        assertThat(order("{\"priority\":[\"Test.Example/first/*\"],\"dampingPercent\":100}")
                        .body())
                .startsWith("{\"mode\":\"partition\",\"priority\":[\"test.example/first/*\"],"
                        + "\"floorPercent\":20,\"dampingPercent\":100,\"wholeBytes\":");
    }

    @Test
    void figures_areReportedByPool() throws Exception {
        try (RawClient client = proxy.client()) {
            get(client, "/first/", 0, 2);
            get(client, "/first/", 0, 2);
            get(client, "/other/", 0, 1);
            client.request("HEAD", "/other/0", "X-A: b");
        }
        Awaitility.await()
                .untilAsserted(() -> assertThat(ask("GET", "/metrics", "", "").body())
                        .contains("komainu_proxy_cache_pool_hits_total{pool=\"protected\"} 2.0\n")
                        .contains("komainu_proxy_cache_pool_hit_bytes_total{pool=\"protected\"} "
                                + 2.0 * LENGTH + "\n")
                        .contains("komainu_proxy_cache_pool_misses_total{pool=\"protected\"} 2.0\n")
                        .contains("komainu_proxy_cache_pool_hits_total{pool=\"normal\"} 1.0\n")
                        .contains("komainu_proxy_cache_pool_hit_bytes_total{pool=\"normal\"} 0.0\n")
                        .contains("komainu_proxy_cache_pool_misses_total{pool=\"normal\"} 1.0\n")
                        .contains("komainu_proxy_cache_pool_entries{pool=\"protected\"} 2.0\n")
                        .contains(
                                "komainu_proxy_cache_pool_unreferenced_bytes{pool=\"protected\"} 0.0\n")
                        .contains("komainu_proxy_cache_divided 2.0\n")
                        .contains("komainu_proxy_sweeping_clients 0.0\n"));
        assertThat(ask("GET", "/control/v1/stats", "", "").body())
                .contains("\"cachePartition\":{\"mode\":\"partition\",\"priority\":[\"/first/\"],")
                .contains("\"entries\":2,\"evictions\":0,\"hits\":2,\"hitBytes\":" + 2 * LENGTH
                        + ",\"misses\":2}");
        try (RawClient client = proxy.client()) {
            // Those pages are written from the last full second.
            Awaitility.await()
                    .untilAsserted(
                            () -> assertThat(client.get("/squid-internal-mgr/info")
                                            .body())
                                    .contains("\tDivision:\tpartition\n")
                                    .containsPattern(
                                            "\tProtected pool:\t\\d+ KB, 0 KB unreferenced, 2 entries, 0 evictions, 2 hits, 2 misses\n"));
        }
    }

    @Test
    void sweep_isRecognised() throws Exception {
        try (RawClient client = proxy.client()) {
            for (int i = 0; i < 300; i++) {
                client.get("/nothing/" + i);
            }
        }
        Awaitility.await()
                .untilAsserted(() -> assertThat(ask("GET", "/metrics", "", "").body())
                        .contains("komainu_proxy_sweeping_clients 1.0\n")
                        .contains("komainu_proxy_sweep_lookups_total 45.0\n"));
    }
}
