package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.SourceStatus;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The proxy's reports about itself, and access to its control endpoint. */
class ControlAndReportTest {

    private static final String TOKEN = "a-token-of-enough-length";

    @TempDir
    Path directory;

    private final HttpClient http = HttpClient.newHttpClient();

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
    void control_readsFreely_writesOnlyWithTheToken() throws Exception {
        Path file = Files.writeString(directory.resolve("token"), TOKEN + "\n");
        try (ScriptedOrigin origin =
                        new ScriptedOrigin().ok("/a", "Cache-Control: max-age=60\r\n", "hello");
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "control.listen",
                        "127.0.0.1:0",
                        "control.token-file",
                        file.toString());
                RawClient client = proxy.client()) {
            client.get("/a");
            client.get("/a");
            assertThat(ask(proxy, "GET", "/health", "").body()).contains("up");
            Awaitility.await()
                    .untilAsserted(() -> assertThat(
                                    ask(proxy, "GET", "/metrics", "").body())
                            .contains("komainu_proxy_exchanges_total{outcome=\"hit\"} 1.0\n")
                            .contains("komainu_proxy_cache_objects 1.0\n")
                            .contains("komainu_proxy_origin_up{server=\"127.0.0.1:" + origin.port()
                                    + "\"} 1.0\n")
                            .contains(
                                    "komainu_proxy_origin_server_requests_total{server=\"127.0.0.1:"
                                            + origin.port() + "\"} 1.0\n"));
            assertThat(ask(proxy, "GET", "/control/v1/stats", "").body())
                    .contains("\"hits\":1")
                    .contains("\"cachePolicy\":\"w-tinylfu\"");
            String purge = "/control/v1/cache?url=http://test.example/a";
            assertThat(ask(proxy, "PURGE", purge, "").statusCode()).isEqualTo(401);
            assertThat(ask(proxy, "PURGE", purge, "wrong-token-of-length").statusCode())
                    .isEqualTo(401);
            assertThat(ask(proxy, "GET", purge, TOKEN).statusCode()).isEqualTo(405);
            assertThat(ask(proxy, "PURGE", "/control/v1/cache?url=x", TOKEN).statusCode())
                    .isEqualTo(400);
            assertThat(ask(proxy, "PURGE", purge, TOKEN).body()).contains("\"purged\":1,");
            client.get("/a");
            assertThat(origin.count("/a")).isEqualTo(2);
        }
    }

    @Test
    void control_tokensReachAsFarAsTheirScopes() throws Exception {
        Path file = Files.writeString(
                directory.resolve("tokens"),
                "reader-reader-reader read\npurger-purger-purger purge\n");
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "control.listen",
                        "127.0.0.1:0",
                        "control.read-token",
                        "required",
                        "control.token-file",
                        file.toString())) {
            String purge = "/control/v1/cache?url=http://test.example/a";
            assertThat(ask(proxy, "GET", "/health", "").statusCode()).isEqualTo(200);
            assertThat(ask(proxy, "GET", "/metrics", "").statusCode()).isEqualTo(401);
            assertThat(ask(proxy, "GET", "/metrics", "reader-reader-reader").statusCode())
                    .isEqualTo(200);
            assertThat(ask(proxy, "GET", "/metrics", "purger-purger-purger").statusCode())
                    .isEqualTo(403);
            assertThat(ask(proxy, "PURGE", purge, "purger-purger-purger").statusCode())
                    .isEqualTo(200);
            HttpResponse<String> refused = ask(proxy, "PURGE", purge, "reader-reader-reader");
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.headers().firstValue("WWW-Authenticate"))
                    .hasValueSatisfying(v -> assertThat(v).contains("insufficient_scope"));
            assertThat(ask(proxy, "PURGE", purge + "&dryRun=true", "reader-reader-reader")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void report_windowsAddUpToWhatHappened() throws Exception {
        try (ScriptedOrigin origin =
                        new ScriptedOrigin().ok("/a", "Cache-Control: max-age=60\r\n", "hello");
                ProxyFixture proxy = new ProxyFixture(
                        "origin", origin.url(), "report.exchanges-per-second", "3");
                RawClient client = proxy.client()) {
            for (int i = 0; i < 10; i++) {
                client.get("/a?secret=x");
                client.get("/a");
            }
            origin.ok("/n", "Cache-Control: no-store\r\n", "n");
            client.get("/n");
            client.send("nonsense\r\n\r\n");
            client.rest();
            Awaitility.await().untilAsserted(() -> {
                assertThat(sum(proxy, window -> window.exchanges().requests())).isEqualTo(22);
                assertThat(sum(proxy, window -> window.outcomes().hits())).isEqualTo(9);
                assertThat(sum(proxy, window -> window.outcomes().errors())).isEqualTo(1);
                // The ten unknown pages and the one that must not be stored.
                assertThat(sum(proxy, window -> window.outcomes().passes())).isEqualTo(11);
                assertThat(sum(proxy, window -> window.outcomes().misses())).isEqualTo(1);
                assertThat(sum(proxy, w -> w.times().hitResponse().count())).isEqualTo(9);
                long listed = proxy.records.stream()
                        .filter(ProxyExchange.class::isInstance)
                        .count();
                assertThat(listed + sum(proxy, window -> window.exchanges().exchangesNotListed()))
                        .isEqualTo(21);
                assertThat(proxy.records).hasAtLeastOneElementOfType(ServiceSighting.class);
                assertThat(proxy.records).hasAtLeastOneElementOfType(SourceStatus.class);
            });
            assertThat(proxy.records)
                    .filteredOn(ProxyExchange.class::isInstance)
                    .allMatch(r -> !((ProxyExchange) r).target().contains("secret"));
        }
    }

    @Test
    void report_ofADividedCache_hasTheBytesAndLookupsOfEachPool() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin()
                        .ok("/a/1", "Cache-Control: max-age=60\r\n", "hello")
                        .ok("/b/1", "Cache-Control: max-age=60\r\n", "hello");
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "cache.partition",
                        "partition",
                        "cache.priority",
                        "/a/");
                RawClient client = proxy.client()) {
            for (int i = 0; i < 5; i++) {
                client.get("/a/1");
            }
            client.get("/b/1");
            client.get("/b/1");
            Awaitility.await().untilAsserted(() -> {
                assertThat(sum(proxy, w -> w.cache().pools().protectedHits())).isEqualTo(4);
                assertThat(sum(proxy, w -> w.cache().pools().protectedMisses())).isEqualTo(1);
                assertThat(sum(proxy, w -> w.cache().pools().normalHits())).isEqualTo(1);
                assertThat(sum(proxy, w -> w.cache().pools().normalMisses())).isEqualTo(1);
            });
            ProxyWindow.Pools told = proxy.records.stream()
                    .filter(ProxyWindow.class::isInstance)
                    .map(r -> ((ProxyWindow) r).cache().pools())
                    .reduce((first, last) -> last)
                    .orElseThrow();
            assertThat(told.protectedBytes()).isPositive();
            assertThat(told.normalBytes()).isPositive();
            assertThat(told.targetBytes()).isBetween(told.wholeBytes() / 5 - 1, told.wholeBytes());
            assertThat(proxy.records)
                    .filteredOn(ProxyWindow.class::isInstance)
                    .allMatch(r -> ((ProxyWindow) r).cache().tier() == null
                            && ((ProxyWindow) r).connections().buffers() == null);
        }
    }

    private static long sum(
            ProxyFixture proxy, java.util.function.ToLongFunction<ProxyWindow> part) {
        return proxy.records.stream()
                .filter(ProxyWindow.class::isInstance)
                .mapToLong(r -> part.applyAsLong((ProxyWindow) r))
                .sum();
    }
}
