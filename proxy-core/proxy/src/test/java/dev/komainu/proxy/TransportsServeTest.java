package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.intermediary.transport.Transport;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole proxy on each transport of this system. */
class TransportsServeTest {

    static List<String> transports() {
        return Arrays.stream(Transport.values())
                .filter(Transport::isAvailable)
                .map(Transport::text)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("transports")
    void requests_ofEachKind_areServed(String transport) throws Exception {
        String large = "0123456789".repeat(50_000);
        try (ScriptedOrigin origin = new ScriptedOrigin()) {
            origin.ok("/kept", "Cache-Control: max-age=60\r\n", "kept");
            origin.ok("/large", "Cache-Control: max-age=60\r\n", large);
            origin.ok("/passed", "Cache-Control: no-store\r\n", large);
            try (ProxyFixture proxy = new ProxyFixture(
                    "origin", origin.url(), "transport", transport, "workers", "2")) {
                for (int connection = 0; connection < 20; connection++) {
                    try (RawClient client = proxy.client()) {
                        assertThat(client.get("/kept").body()).isEqualTo("kept");
                        assertThat(client.get("/large").body()).isEqualTo(large);
                        assertThat(client.get("/passed").body()).isEqualTo(large);
                    }
                }
            }
            assertThat(origin.count("/kept")).isEqualTo(1);
            assertThat(origin.count("/large")).isEqualTo(1);
            assertThat(origin.count("/passed")).isEqualTo(20);
        }
    }
}
