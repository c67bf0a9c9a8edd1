package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients behind a terminator that tells their addresses by the PROXY protocol. */
class ProxyProtocolTest {

    private static final String CLIENT = "PROXY TCP4 192.0.2.9 127.0.0.1 4000 80\r\n";
    private static final String GET = "GET /a HTTP/1.1\r\nHost: test.example\r\n\r\n";
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";

    @TempDir
    Path directory;

    private ScriptedOrigin origin;
    private ProxyFixture proxy;

    @BeforeEach
    void setUp() throws IOException {
        origin = new ScriptedOrigin().ok("/a", "Cache-Control: max-age=60\r\n", "hello");
    }

    private Path open(String... settings) throws IOException {
        Path log = directory.resolve("access.log");
        String[] all = new String[settings.length + 6];
        System.arraycopy(settings, 0, all, 6, settings.length);
        all[0] = "origin";
        all[1] = origin.url();
        all[2] = "log.access";
        all[3] = log.toString();
        all[4] = "proxy-protocol.trusted";
        all[5] = "127.0.0.1";
        proxy = new ProxyFixture(all);
        return log;
    }

    @AfterEach
    void tearDown() throws IOException {
        proxy.close();
        origin.close();
    }

    private static String bytes(String hexadecimal) {
        return new String(HexFormat.of().parseHex(hexadecimal), StandardCharsets.ISO_8859_1);
    }

    /** A header of version 2 for a client 192.0.2.9, with extensions of a number of bytes. */
    private static String version2(int extensionBytes) {
        String extensions = extensionBytes == 0
                ? ""
                : "04" + HexFormat.of().toHexDigits((short) (extensionBytes - 3))
                        + "00".repeat(extensionBytes - 3);
        return bytes(SIGNATURE + "2111"
                + HexFormat.of().toHexDigits((short) (12 + extensionBytes))
                + "c0000209" + "7f000001" + "0fa0" + "0050" + extensions);
    }

    private static void logged(Path log, String client) {
        Awaitility.await().untilAsserted(() -> assertThat(Files.readString(log)).contains(client));
    }

    @Test
    void addressOfVersion1_isTheClients_inLogAndRules() throws IOException {
        Path log = open();
        try (RawClient client = proxy.client()) {
            // Header and request in one segment: the request must not be lost.
            assertThat(client.send(CLIENT + GET).read(false).body()).isEqualTo("hello");
            // The proxy's own address may purge; the client's may not.
            assertThat(client.request("PURGE", "/a").status()).isEqualTo(403);
        }
        logged(log, "192.0.2.9");
    }

    @Test
    void headerInPieces_andOfVersion2WithExtensions_isRead() throws IOException {
        Path log = open();
        String header = version2(40);
        try (RawClient client = proxy.client()) {
            for (int i = 0; i < header.length(); i++) {
                client.send(header.substring(i, i + 1));
            }
            assertThat(client.send(GET).read(false).body()).isEqualTo("hello");
        }
        logged(log, "192.0.2.9");
    }

    @Test
    void headerWithoutAnAddress_isTheProxysOwn() throws IOException {
        Path log = open();
        for (String header : new String[] {"PROXY UNKNOWN\r\n", bytes(SIGNATURE + "20000000")}) {
            try (RawClient client = proxy.client()) {
                assertThat(client.send(header + GET).read(false).body()).isEqualTo("hello");
                assertThat(client.request("PURGE", "/a").status()).isEqualTo(200);
            }
        }
        logged(log, "127.0.0.1");
    }

    @Test
    void connectionsPerClient_areCountedByTheToldAddress() throws IOException {
        open("connections.max-per-client", "1");
        try (RawClient first = proxy.client();
                RawClient other = proxy.client();
                RawClient second = proxy.client()) {
            assertThat(first.send(CLIENT + GET).read(false).status()).isEqualTo(200);
            assertThat(other.send(CLIENT.replace("192.0.2.9", "192.0.2.10") + GET)
                            .read(false)
                            .status())
                    .isEqualTo(200);
            assertThat(second.send(CLIENT + GET).read(false).status()).isEqualTo(503);
        }
    }

    @Test
    void clientThatWaitsForAPlace_keepsItsRequest() throws IOException {
        open("connections.max", "1");
        try (RawClient first = proxy.client();
                RawClient second = proxy.client()) {
            assertThat(first.send(CLIENT + GET).read(false).status()).isEqualTo(200);
            // The first is idle and gives way.
            assertThat(second.send(CLIENT + GET).read(false).status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                GET,
                "PROXY TCP4 192.0.2.9 127.0.0.1 4000 99999\r\n" + GET,
                "PROXY TCP4 host.example 127.0.0.1 4000 80\r\n" + GET,
                "PROXY TCP4 192.0.2.9 127.0.0.1 4000 80 "
                        + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n",
            })
    void connectionOfTheProxy_withoutAValidHeader_isClosedAndCounted(String beginning)
            throws IOException {
        open();
        refused(beginning);
        assertThat(origin.requests).isEmpty();
    }

    @Test
    void headerOfVersion2BeyondTheLimit_isClosedAndCounted() throws IOException {
        open();
        refused(version2(600));
    }

    private void refused(String beginning) throws IOException {
        try (RawClient client = proxy.client()) {
            assertThat(client.send(beginning).closedByPeer()).isTrue();
        }
        Awaitility.await()
                .untilAsserted(() -> assertThat(proxy.records.stream()
                                .filter(dev.komainu.telemetry.record.ProxyWindow.class::isInstance)
                                .mapToLong(window -> ((dev.komainu.telemetry.record.ProxyWindow)
                                                window)
                                        .outcomes()
                                        .errors())
                                .sum())
                        .isOne());
    }

    @Test
    void strangersHeader_isAMalformedRequest() throws IOException {
        proxy = new ProxyFixture("origin", origin.url(), "proxy-protocol.trusted", "192.0.2.1");
        try (RawClient client = proxy.client()) {
            assertThat(client.send(CLIENT + GET).rest()).doesNotContain("hello");
        }
        assertThat(origin.requests).isEmpty();
    }
}
