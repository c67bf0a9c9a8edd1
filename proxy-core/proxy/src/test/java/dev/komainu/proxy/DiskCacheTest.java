package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.RunningProxy;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.telemetry.record.ProxyWindow;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A memory cache of 1 MB with a disk tier, as clients see it. */
class DiskCacheTest {

    private static final String TOKEN = "a-token-of-enough-length";

    @TempDir
    Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private ScriptedOrigin origin;

    @BeforeEach
    void setUp() throws Exception {
        origin = new ScriptedOrigin();
        for (int i = 0; i < 20; i++) {
            origin.ok("/filler/" + i, "Cache-Control: max-age=60\r\n", "f".repeat(100_000));
        }
    }

    @AfterEach
    void tearDown() throws Exception {
        origin.close();
    }

    private ProxyFixture proxy(String... more) throws Exception {
        List<String> settings = new ArrayList<>(List.of(
                "origin",
                origin.url(),
                "cache.memory",
                "1MB",
                "cache.policy",
                "lru",
                "cache.disk",
                directory.resolve("disk") + ":64MB"));
        settings.addAll(List.of(more));
        return new ProxyFixture(settings.toArray(String[]::new));
    }

    private static void settle(ProxyFixture proxy) {
        DiskTier disk = proxy.proxy.disk();
        Awaitility.await().until(() -> disk.figures().writes().waitingBytes() == 0);
    }

    /** Requests so many other objects that memory has no room for earlier ones. */
    private static void pushOut(ProxyFixture proxy, RawClient client) throws Exception {
        for (int i = 0; i < 20; i++) {
            client.get("/filler/" + i);
        }
        settle(proxy);
    }

    @Test
    void evicted_comesBackFromTheDisk_asAHit() throws Exception {
        origin.ok("/a", "Cache-Control: max-age=60\r\nETag: \"e\"\r\n", "hello");
        try (ProxyFixture proxy = proxy();
                RawClient client = proxy.client()) {
            client.get("/a");
            client.get("/a");
            pushOut(proxy, client);
            proxy.passSeconds(20);
            RawClient.Answer back = client.get("/a");
            assertThat(back.body()).isEqualTo("hello");
            assertThat(back.field("Cache-Status")).isEqualTo("komainu; hit; ttl=40");
            assertThat(back.field("Age")).isEqualTo("20");
            assertThat(origin.count("/a")).isEqualTo(1);
            pushOut(proxy, client);
            assertThat(client.get("/a", "Range: bytes=1-3").body()).isEqualTo("ell");
            pushOut(proxy, client);
            assertThat(client.get("/a", "If-None-Match: \"e\"").status()).isEqualTo(304);
            assertThat(origin.count("/a")).isEqualTo(1);
            Awaitility.await().until(() -> proxy.proxy.figures().counters().diskHits >= 3);
            pushOut(proxy, client);
            proxy.passSeconds(60);
            origin.respond(
                    "/a",
                    "HTTP/1.1 304 Not Modified\r\nETag: \"e\"\r\nCache-Control: max-age=60\r\n\r\n");
            RawClient.Answer confirmed = client.get("/a");
            assertThat(confirmed.body()).isEqualTo("hello");
            assertThat(confirmed.field("Cache-Status"))
                    .contains("fwd=stale")
                    .contains("fwd-status=304");
            assertThat(origin.count("/a")).isEqualTo(2);
        }
    }

    @Test
    void variants_comeBackEachForItsOwn() throws Exception {
        origin.on("/v", (request, socket, out) -> {
            String language = request.field("Accept-Language");
            out.write(
                    ("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nVary: Accept-Language\r\nContent-Length: "
                                    + language.length() + "\r\n\r\n" + language)
                            .getBytes());
            return true;
        });
        try (ProxyFixture proxy = proxy()) {
            try (RawClient client = proxy.client()) {
                for (String language : List.of("ja", "en")) {
                    client.get("/v", "Accept-Language: " + language);
                    client.get("/v", "Accept-Language: " + language);
                }
                pushOut(proxy, client);
                for (String language : List.of("en", "ja", "en")) {
                    assertThat(client.get("/v", "Accept-Language: " + language).body())
                            .isEqualTo(language);
                }
                assertThat(origin.count("/v")).isEqualTo(2);
            }
        }
        try (ProxyFixture again = proxy();
                RawClient client = again.client()) {
            assertThat(client.get("/v", "Accept-Language: ja").body()).isEqualTo("ja");
            assertThat(client.get("/v", "Accept-Language: en").body()).isEqualTo("en");
            assertThat(origin.count("/v")).isEqualTo(2);
            assertThat(client.get("/v", "Accept-Language: fr").body()).isEqualTo("fr");
            assertThat(origin.count("/v")).isEqualTo(3);
        }
    }

    @Test
    void herd_onWhatLiesOnDisk_isOneRead() throws Exception {
        String body = "x".repeat(50_000);
        origin.ok("/a", "Cache-Control: max-age=60\r\n", body);
        try (ProxyFixture proxy = proxy("workers", "2", "cache.disk-delay", "300ms");
                RawClient client = proxy.client();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            client.get("/a");
            pushOut(proxy, client);
            CyclicBarrier together = new CyclicBarrier(50);
            List<Callable<RawClient.Answer>> tasks = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                tasks.add(() -> {
                    try (RawClient each = proxy.client()) {
                        together.await(60, TimeUnit.SECONDS);
                        return each.get("/a");
                    }
                });
            }
            for (Future<RawClient.Answer> answer : threads.invokeAll(tasks)) {
                assertThat(answer.get().body()).isEqualTo(body);
                assertThat(answer.get().field("Cache-Status")).startsWith("komainu; hit");
            }
            assertThat(origin.count("/a")).isEqualTo(1);
            assertThat(proxy.proxy.disk().figures().reads().asked()).isEqualTo(1);
        }
    }

    @Test
    void purge_ofWhatIsOnlyOnDisk_isFoundAndHolds() throws Exception {
        origin.ok("/a", "Cache-Control: max-age=60\r\n", "hello");
        try (ProxyFixture proxy = proxy();
                RawClient client = proxy.client()) {
            client.get("/a");
            pushOut(proxy, client);
            assertThat(client.request("PURGE", "/a").status()).isEqualTo(200);
            assertThat(client.request("PURGE", "/a").status()).isEqualTo(404);
            client.get("/a");
            assertThat(origin.count("/a")).isEqualTo(2);
            pushOut(proxy, client);
            // A successful change invalidates it (RFC 9111 section 4.4).
            origin.respond("/a", "HTTP/1.1 204 No Content\r\n\r\n");
            client.request("POST", "/a", "Content-Length: 0");
            origin.ok("/a", "Cache-Control: max-age=60\r\n", "changed");
            assertThat(client.get("/a").body()).isEqualTo("changed");
        }
    }

    @Test
    void peakByOrder_isMemoryOnly_shownAndEnded() throws Exception {
        origin.ok("/a", "Cache-Control: max-age=60\r\n", "hello");
        Path tokens = Files.writeString(directory.resolve("token"), TOKEN + "\n");
        try (ProxyFixture proxy = proxy(
                        "control.listen", "127.0.0.1:0", "control.token-file", tokens.toString());
                RawClient client = proxy.client()) {
            client.get("/a");
            pushOut(proxy, client);
            assertThat(ask(proxy, "POST", "/control/v1/peak?mode=peak", "").statusCode())
                    .isEqualTo(401);
            assertThat(ask(proxy, "POST", "/control/v1/peak?mode=soon", TOKEN).body())
                    .contains("mode: soon (expected: auto, peak or off-peak)");
            assertThat(ask(proxy, "POST", "/control/v1/peak?mode=peak&seconds=60", TOKEN)
                            .statusCode())
                    .isEqualTo(200);
            Awaitility.await().until(() -> !proxy.proxy.disk().isOpen());
            assertThat(client.get("/a").field("Cache-Status"))
                    .isEqualTo("komainu; fwd=miss; stored");
            assertThat(origin.count("/a")).isEqualTo(2);
            assertThat(ask(proxy, "GET", "/control/v1/peak", "").body())
                    .contains("\"peak\":true", "\"ground\":\"ordered\"", "\"reason\":\"by order\"");
            Awaitility.await()
                    .untilAsserted(() -> assertThat(
                                    ask(proxy, "GET", "/metrics", "").body())
                            .contains("komainu_proxy_peak 1.0\n")
                            .contains("komainu_proxy_disk_not_read_total{reason=\"peak\"} 1.0\n"));
            Awaitility.await().untilAsserted(() -> {
                assertThat(told(proxy, ProxyWindow.Tier::written)).isPositive();
                assertThat(told(proxy, ProxyWindow.Tier::notFound)).isEqualTo(1);
                assertThat(told(proxy, ProxyWindow.Tier::peakMicros)).isPositive();
            });
            assertThat(ask(proxy, "GET", "/control/v1/stats", "").body())
                    .contains("\"peakGround\":\"ordered\"");
            assertThat(client.get("/squid-internal-mgr/info").body()).contains("peak, memory only");
            ask(proxy, "POST", "/control/v1/peak?mode=auto", TOKEN);
            Awaitility.await().until(() -> proxy.proxy.disk().isOpen());
        }
    }

    /** Of all windows so far. */
    private static long told(ProxyFixture proxy, ToLongFunction<ProxyWindow.Tier> part) {
        return proxy.records.stream()
                .filter(ProxyWindow.class::isInstance)
                .mapToLong(window ->
                        part.applyAsLong(((ProxyWindow) window).cache().tier()))
                .sum();
    }

    private HttpResponse<String> ask(ProxyFixture proxy, String method, String path, String token)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + proxy.proxy.controlAddress().getPort() + path))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void killed_findsItsDiskAgain() throws Exception {
        String disk = directory.resolve("disk") + ":64MB";
        for (int i = 0; i < 40; i++) {
            origin.ok("/o/" + i, "Cache-Control: max-age=600\r\n", (i + ";").repeat(20_000));
        }
        // On a busy machine this may look like a peak.
        Path file = Files.writeString(
                directory.resolve("proxy.yaml"),
                "peak: {surge: 100, disk-busy: 1, read-latency: 10s, loop-delay: 10s}\n");
        String[] settings = {
            "--origin", origin.url(), "--memory", "1MB", "--disk", disk, "--config", file.toString()
        };
        try (RunningProxy proxy = new RunningProxy(0, 0, settings);
                RawClient client = proxy.client()) {
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < 40; i++) {
                    assertThat(client.get("/o/" + i).status()).isEqualTo(200);
                }
            }
            proxy.kill();
        }
        int before = origin.requests.size();
        int hits = 0;
        try (RunningProxy again = new RunningProxy(0, 0, settings);
                RawClient client = again.client()) {
            for (int i = 0; i < 40; i++) {
                RawClient.Answer answer = client.get("/o/" + i);
                assertThat(answer.body()).isEqualTo((i + ";").repeat(20_000));
                hits += answer.field("Cache-Status").startsWith("komainu; hit") ? 1 : 0;
            }
        }
        assertThat(hits).isGreaterThan(10);
        assertThat(origin.requests.size() - before).isEqualTo(40 - hits);
    }

    @Test
    void settings_contradictions_areReportedTogether() {
        List<String> problems = new ArrayList<>();
        try {
            ProxySettings.read(GivenSettings.reader(
                    java.util.Map.of(),
                    java.util.Map.of(),
                    java.util.Map.of(
                            "origin", "http://127.0.0.1:1",
                            "cache.disk", "/proc/nowhere:64MB",
                            "cache.disk-delay", "11s",
                            "peak.surge", "1",
                            "peak.leave", "0s")));
        } catch (SettingMistakesException e) {
            problems.addAll(e.mistakes());
        }
        assertThat(problems)
                .contains(
                        "cache.disk-delay: 11s (expected: 0 to 10s)",
                        "peak.surge: 1 (expected: 1.2 to 100)",
                        "peak.leave: 0s (expected: 1s to 1h)")
                .anyMatch(problem -> problem.startsWith("cache.disk: /proc/nowhere"));
    }
}
