package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import org.junit.jupiter.api.Test;

/** The proxy under {@code cache.policy: lru}. */
class LeastRecentlyUsedTest {

    @Test
    void get_ofMoreThanFits_keepsTheLastRequested() throws Exception {
        int length = 100_000;
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = new ProxyFixture(
                        "origin", origin.url(), "cache.policy", "lru", "cache.memory", "1MB");
                RawClient client = proxy.client()) {
            for (int i = 0; i < 20; i++) {
                origin.ok("/" + i, "Cache-Control: max-age=600\r\n", "x".repeat(length));
                client.get("/" + i);
            }
            // Seven or eight fit; under W-TinyLFU the newest would need more requests than the
            // others.
            for (int i = 19; i > 14; i--) {
                assertThat(client.get("/" + i).head()).contains("Cache-Status: komainu; hit");
                assertThat(origin.count("/" + i)).isEqualTo(1);
            }
            client.get("/0");
            assertThat(origin.count("/0")).isEqualTo(2);
        }
    }
}
