package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Strangers who send PURGE, or ask for the manager's pages, through a terminator on the proxy's own
 * host: for the proxy each of them is 127.0.0.1.
 */
class StrangersPurgeTest {

    @Test
    void unsetListsAllowNobody() throws Exception {
        ProxySettings settings = ProxySettings.read(GivenSettings.reader(
                Map.of(), Map.of(), Map.of("listen", "127.0.0.1:0", "origin", "http://127.0.0.1")));
        assertThat(settings.purgers().blocks()).isEmpty();
        assertThat(settings.managers().blocks()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", ""})
    void emptyLists_purgeOfEverything_isRefused_andTheCacheStays(String nobody) throws Exception {
        try (ScriptedOrigin origin =
                        new ScriptedOrigin().ok("/a", "Cache-Control: max-age=60\r\n", "hello");
                ProxyFixture proxy = new ProxyFixture(
                        "origin", origin.url(), "purge.allow", nobody, "manager.allow", nobody);
                RawClient client = proxy.client()) {
            client.get("/a");
            assertThat(client.request("PURGE", "/", "Komainu-Purge: prefix").status())
                    .isEqualTo(403);
            assertThat(client.get("/squid-internal-mgr/info").status()).isEqualTo(403);
            client.get("/a");
            assertThat(origin.count("/a")).isOne();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Via: 1.1 terminator",
                "Forwarded: for=192.0.2.7",
                "X-Forwarded-For: 192.0.2.7",
                "X-Real-IP: 192.0.2.7"
            })
    void forwardedRequest_ofAnAllowedAddress_isRefused(String field) throws Exception {
        try (ScriptedOrigin origin =
                        new ScriptedOrigin().ok("/a", "Cache-Control: max-age=60\r\n", "hello");
                ProxyFixture proxy = new ProxyFixture("origin", origin.url());
                RawClient client = proxy.client()) {
            client.get("/a");
            assertThat(client.request("PURGE", "/a", field).status()).isEqualTo(403);
            assertThat(client.get("/squid-internal-mgr/info", field).status()).isEqualTo(403);
            assertThat(client.request("PURGE", "/a").status()).isEqualTo(200);
            assertThat(client.get("/squid-internal-mgr/info").status()).isEqualTo(200);
        }
    }
}
