package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.access.AccessList;
import dev.komainu.intermediary.access.DialGuard;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedDns;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.settings.Cidr;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Forward mode: only for permitted clients and permitted targets. */
class ForwardProxyTest {

    private ScriptedOrigin origin;

    @BeforeEach
    void setUp() throws IOException {
        origin = new ScriptedOrigin().ok("/a", "Cache-Control: max-age=60\r\n", "hello");
    }

    @AfterEach
    void tearDown() throws IOException {
        origin.close();
    }

    private ProxyFixture proxy(String allow, String dial) throws IOException {
        return new ProxyFixture(
                "forward.enabled",
                "true",
                "forward.allow",
                allow,
                "forward.dial-allow",
                dial,
                "forward.connect-ports",
                "443," + origin.port());
    }

    @Test
    void absoluteForm_isFetchedAndCached() throws IOException {
        try (ProxyFixture proxy = proxy("127.0.0.0/8", "127.0.0.1");
                RawClient client = proxy.client()) {
            for (int i = 0; i < 2; i++) {
                client.send("GET " + origin.url() + "/a HTTP/1.1\r\nHost: whatever\r\n\r\n");
                assertThat(client.read(false).body()).isEqualTo("hello");
            }
            assertThat(origin.count("/a")).isEqualTo(1);
            assertThat(origin.requests.getFirst().field("Host"))
                    .isEqualTo("127.0.0.1:" + origin.port());
            client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(400);
        }
    }

    @Test
    void client_outsideTheList_isRefused() throws IOException {
        try (ProxyFixture proxy = proxy("192.0.2.0/24", "127.0.0.1");
                RawClient client = proxy.client()) {
            client.send("GET " + origin.url() + "/a HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(403);
            assertThat(origin.requests).isEmpty();
        }
    }

    @Test
    void target_inside_isNotDialled() throws IOException {
        try (ProxyFixture proxy = proxy("127.0.0.0/8", "192.0.2.1");
                RawClient client = proxy.client()) {
            for (String host : new String[] {
                "127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]", "[::1]"
            }) {
                client.send("GET http://" + host + ":" + origin.port()
                        + "/a HTTP/1.1\r\nHost: x\r\n\r\n");
                assertThat(client.read(false).status()).as(host).isIn(403, 502);
            }
            assertThat(origin.requests).isEmpty();
        }
    }

    @Test
    void connect_toAnAllowedPort_relaysBothWays() throws IOException {
        try (ProxyFixture proxy = proxy("127.0.0.0/8", "127.0.0.1");
                RawClient client = proxy.client()) {
            String target = "127.0.0.1:" + origin.port();
            client.send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
            assertThat(client.read(true).status()).isEqualTo(200);
            for (int i = 0; i < 3; i++) {
                assertThat(client.get("/a").body()).isEqualTo("hello");
            }
            client.socket().shutdownOutput();
            assertThat(client.closedByPeer()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connect_resetByOneSide_resetsTheOther(boolean byClient) throws Exception {
        try (ServerSocket target = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ProxyFixture proxy = new ProxyFixture(
                        "forward.enabled",
                        "true",
                        "forward.allow",
                        "127.0.0.0/8",
                        "forward.dial-allow",
                        "127.0.0.1",
                        "forward.connect-ports",
                        Integer.toString(target.getLocalPort()));
                RawClient client = proxy.client()) {
            String authority = "127.0.0.1:" + target.getLocalPort();
            client.send("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
            assertThat(client.read(true).status()).isEqualTo(200);
            try (Socket taken = target.accept()) {
                Socket leaves = byClient ? client.socket() : taken;
                Socket stays = byClient ? taken : client.socket();
                stays.setSoTimeout(60_000);
                leaves.getOutputStream().write('x');
                assertThat(stays.getInputStream().read()).isEqualTo('x');
                leaves.setSoLinger(true, 0);
                leaves.close();
                assertThatThrownBy(() -> stays.getInputStream().read())
                        .isInstanceOf(SocketException.class);
            }
        }
    }

    @Test
    void connect_whoseClientLeavesBeforeTheConnection_isCounted() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (ScriptedDns dns =
                        new ScriptedDns().answerAfter(go).resolve("slow.example", 60, "127.0.0.1");
                ProxyFixture proxy = new ProxyFixture(
                        "forward.enabled",
                        "true",
                        "forward.allow",
                        "127.0.0.0/8",
                        "forward.dial-allow",
                        "127.0.0.1",
                        "forward.connect-ports",
                        Integer.toString(origin.port()),
                        "upstream.dns.servers",
                        "127.0.0.1:" + dns.port(),
                        "upstream.dns.timeout",
                        "60s")) {
            try (RawClient client = proxy.client()) {
                // Bytes that arrive with the connection itself may be read before epoll watches it
                // for a reset.
                Awaitility.await()
                        .until(() -> proxy.proxy.figures().counters().clientConnections == 1);
                String target = "slow.example:" + origin.port();
                client.send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
                Awaitility.await().until(() -> dns.queries() > 0);
                client.socket().setSoLinger(true, 0);
            }
            Awaitility.await().until(() -> proxy.proxy.figures().counters().clientConnections == 0);
            go.countDown();
            Awaitility.await().until(() -> proxy.proxy.figures().counters().abandoned == 1);
            assertThat(proxy.proxy.figures().counters().inFlight).isZero();
            assertThat(proxy.proxy.figures().counters().requests).isEqualTo(1);
        }
    }

    @Test
    void connect_elsewhere_isRefused() throws IOException {
        try (ProxyFixture proxy = proxy("127.0.0.0/8", "127.0.0.1");
                RawClient client = proxy.client()) {
            client.send("CONNECT 127.0.0.1:25 HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(403);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.9.9.9",
                "10.0.0.1",
                "172.31.0.1",
                "192.168.1.1",
                "169.254.169.254",
                "0.0.0.0",
                "100.64.0.1",
                "224.0.0.1",
                "255.255.255.255",
                "::1",
                "::",
                "fe80::1",
                "fc00::1",
                "ff02::1",
                "64:ff9b::7f00:1",
                "2002:7f00:1::",
                "::127.0.0.1",
                "::ffff:127.0.0.1",
                "::ffff:0:127.0.0.1",
                "64:ff9b:1::7f00:1",
                "2001:0:7f00:1::",
                "2600::5efe:7f00:1",
                "2600::200:5efe:7f00:1",
                "fec0::1",
                "100::1",
                "2001:db8::1",
                "192.0.2.1",
                "192.88.99.1"
            })
    void guard_innerAddresses_areForbidden(String address) {
        InetSocketAddress target = new InetSocketAddress(InetAddress.ofLiteral(address), 80);
        assertThat(new DialGuard(AccessList.NONE).test(target)).isFalse();
        assertThat(new DialGuard(new AccessList(List.of(Cidr.parse(address)))).test(target))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1.1.1", "192.1.2.1", "172.32.0.1", "2606:4700::1111"})
    void guard_outerAddresses_arePermitted(String address) {
        assertThat(new DialGuard(AccessList.NONE)
                        .test(new InetSocketAddress(InetAddress.ofLiteral(address), 80)))
                .isTrue();
    }

    @Test
    void name_thatStandsForAnInnerAddressTheNextTime_isNotDialled() throws Exception {
        InetAddress allowed = InetAddress.ofLiteral("127.0.0.2");
        try (ScriptedOrigin outside = new ScriptedOrigin(
                                new ServerSocket(origin.port(), 50, allowed))
                        .ok("/a", "Connection: close\r\n", "outside");
                ScriptedDns dns = new ScriptedDns().resolve("rebind.example", 0, "127.0.0.2");
                ProxyFixture proxy = new ProxyFixture(
                        "forward.enabled",
                        "true",
                        "forward.allow",
                        "127.0.0.0/8",
                        "forward.dial-allow",
                        "127.0.0.2",
                        "forward.connect-ports",
                        "" + origin.port(),
                        "upstream.dns.servers",
                        "127.0.0.1:" + dns.port(),
                        "upstream.dns.min-ttl",
                        "0ms",
                        "upstream.idle-timeout",
                        "100ms",
                        "workers",
                        "1");
                RawClient client = proxy.client();
                RawClient tunnelled = proxy.client()) {
            String authority = "rebind.example:" + origin.port();
            String request = "GET http://" + authority
                    + "/a HTTP/1.1\r\nHost: x\r\nCache-Control: no-store\r\n\r\n";
            assertThat(client.send(request).read(false).body()).isEqualTo("outside");
            // Both at once: of the addresses of a name, only permitted ones are connected.
            dns.resolve("rebind.example", 0, "127.0.0.1");
            Awaitility.await().until(() -> client.send(request).read(false).status() == 403);
            tunnelled.send("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
            assertThat(tunnelled.read(false).status()).isEqualTo(403);
            assertThat(origin.requests).isEmpty();
        }
    }
}
