package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.RawClient.Answer;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Figures as tools for Squid request them. */
class ManagerTest {

    @Test
    void counters_countEvents_inBothSpellings() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin()
                        .ok("/a", "Cache-Control: max-age=60\r\n", "x".repeat(4000));
                ProxyFixture proxy = new ProxyFixture("origin", origin.url());
                RawClient client = proxy.client()) {
            client.get("/a");
            client.get("/a");
            client.get("/a");
            Awaitility.await()
                    .untilAsserted(() -> assertThat(
                                    client.get("/squid-internal-mgr/counters").body())
                            .containsPattern(
                                    "(?m)^sample_time = \\d{10}\\.\\d{6} \\(\\w{3}, .* GMT\\)$")
                            .contains("\nclient_http.hits = 2\n")
                            .contains("\nclient_http.hit_kbytes_out = 8\n")
                            .contains("\nserver.http.requests = 1\n")
                            .contains("\nserver.all.errors = 0\n")
                            .doesNotContain("icp.", "ftp"));
            try (RawClient old = proxy.client()) {
                Answer info = old.send(
                                "GET cache_object://127.0.0.1/info HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
                        .read(false);
                assertThat(info.status()).isEqualTo(200);
                assertThat(info.field("Cache-Control")).isEqualTo("no-store");
                assertThat(info.body())
                        .contains("\tNumber of HTTP requests received:\t")
                        .containsPattern(
                                "\tHits as % of all requests:\t5min: [\\d.]+%, 60min: [\\d.]+%\n")
                        .contains("\tStorage Swap size:\t0 KB\n");
            }
            assertThat(client.get("/squid-internal-mgr/5min").body())
                    .containsPattern("(?m)^client_http.requests = \\d+\\.\\d{6}/sec$")
                    .containsPattern("(?m)^client_http.hit_median_svc_time = 0\\.\\d{6} seconds$");
            assertThat(client.get("/squid-internal-mgr/objects").body())
                    .contains("\tGET http://test.example/a\n")
                    .contains("STORE_OK");
            assertThat(client.get("/squid-internal-mgr/").body()).contains(" info ");
            assertThat(client.get("/squid-internal-mgr/shutdown").status()).isEqualTo(404);
            assertThat(client.request("POST", "/squid-internal-mgr/info", "Content-Length: 0")
                            .status())
                    .isEqualTo(404);
            // None of these requests reached the origin; a path that only begins like that belongs
            // to the origin.
            assertThat(client.get("/squid-internal-mgrs").status()).isEqualTo(404);
            assertThat(origin.requests.stream().map(ScriptedOrigin.Request::path))
                    .containsExactly("/a", "/squid-internal-mgrs");
        }
    }

    @Test
    void pages_areForThoseAllowed_andTheSchemeForNothingElse() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy =
                        new ProxyFixture("origin", origin.url(), "manager.allow", "192.0.2.1");
                RawClient client = proxy.client();
                RawClient other = proxy.client()) {
            assertThat(client.get("/squid-internal-mgr/info").status()).isEqualTo(403);
            assertThat(client.send("GET cache_object://127.0.0.1/info HTTP/1.1\r\nHost: a\r\n\r\n")
                            .read(false)
                            .status())
                    .isEqualTo(403);
            assertThat(other.send("PURGE cache_object://127.0.0.1/info HTTP/1.1\r\nHost: a\r\n\r\n")
                            .read(false)
                            .status())
                    .isEqualTo(400);
            assertThat(origin.requests).isEmpty();
        }
    }
}
