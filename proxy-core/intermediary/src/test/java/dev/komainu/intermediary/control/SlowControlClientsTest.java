package dev.komainu.intermediary.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of the control endpoint that send half of a request, slowly, too much or too often. */
class SlowControlClientsTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final String TOKEN = "a-token-of-enough-length";

    @TempDir
    Path directory;

    private final List<RawClient> clients = new ArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private final Semaphore entered = new Semaphore(0);
    private ControlHttpServer server;

    private final ControlPages pages = new ControlPages() {
        @Override
        public boolean isDraining() {
            return false;
        }

        @Override
        public void serve(ControlExchange exchange) {
            switch (exchange.path()) {
                case "/slow" -> {
                    entered.release();
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    ControlResponse.send(exchange, 200, Map.of("slow", true));
                }
                case "/echo" -> {
                    if (server.authorization().admits(exchange, ControlScope.CONFIG)) {
                        entered.release();
                        exchange.readBody(
                                body -> ControlResponse.send(exchange, 200, Map.of("body", body)));
                    }
                }
                case "/fault" -> throw new IllegalStateException("a defect of a page");
                default -> ControlResponse.problem(exchange, 404, "Not Found", "nothing");
            }
        }
    };

    private static ControlLimits limits(Duration head, Duration body, int connections) {
        return new ControlLimits(head, LONG, body, LONG, 1024, 4096, connections, 2, 8);
    }

    private void open(ControlLimits limits) throws IOException {
        Path tokens = Files.writeString(directory.resolve("tokens"), TOKEN + "\n");
        server = new ControlHttpServer(
                new ControlSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), tokens, false),
                pages,
                limits,
                null);
        server.start();
    }

    private RawClient client() throws IOException {
        RawClient client = new RawClient(server.address());
        clients.add(client);
        return client;
    }

    @AfterEach
    void tearDown() throws IOException {
        release.countDown();
        for (RawClient client : clients) {
            client.close();
        }
        server.close();
    }

    @Test
    void fiveHundredHalfRequests_healthIsAnswered() throws IOException {
        open(limits(LONG, LONG, 64));
        for (int i = 0; i < 500; i++) {
            client().send("GET /health HTTP/1.1\r\nHost: loc");
        }
        assertThat(health().status()).isEqualTo(200);
    }

    private RawClient.Answer health() throws IOException {
        return client().send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").read(false);
    }

    @Test
    void pagesOfOneAddressBeyondTheLimit_areRefused_healthAndTokenHoldersAreServed()
            throws Exception {
        open(limits(LONG, LONG, 64));
        String slow = "GET /slow HTTP/1.1\r\nHost: localhost\r\n";
        RawClient first = client().send(slow + "\r\n");
        client().send(slow + "\r\n");
        assertThat(entered.tryAcquire(2, 60, TimeUnit.SECONDS)).isTrue();
        RawClient.Answer third = client().send(slow + "\r\n").read(false);
        assertThat(third.status()).isEqualTo(503);
        assertThat(third.field("Retry-After")).isEqualTo("1");
        assertThat(health().status()).isEqualTo(200);
        RawClient holder = client().send(slow + "Authorization: Bearer " + TOKEN + "\r\n\r\n");
        assertThat(entered.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        release.countDown();
        assertThat(first.read(false).status()).isEqualTo(200);
        assertThat(holder.read(false).status()).isEqualTo(200);
        // The slots are free again.
        assertThat(client().send(slow + "\r\n").read(false).status()).isEqualTo(200);
    }

    @Test
    void headThatNeverEnds_isClosed() throws IOException {
        open(limits(SHORT, LONG, 64));
        assertThat(client().send("GET /health HTTP/1.1\r\nHost: localhost\r\n").rest())
                .isEmpty();
    }

    @Test
    void bodyThatNeverEnds_isRefused() throws IOException {
        open(limits(LONG, SHORT, 64));
        RawClient.Answer answer =
                client().send(post(TOKEN, "Content-Length: 10") + "1234").read(false);
        assertThat(answer.status()).isEqualTo(408);
        assertThat(answer.field("Connection")).isEqualTo("close");
    }

    @Test
    void bodyOfAClientWithoutAToken_isNotRead() throws IOException {
        open(limits(LONG, LONG, 64));
        // The response comes although the body never does.
        RawClient stranger = client().send(post(
                "a-wrong-token-of-length", "Content-Length: 10\r\nExpect: 100-continue"));
        assertThat(stranger.read(false).status()).isEqualTo(401);
        assertThat(stranger.rest()).isEmpty();
    }

    @Test
    void bodiesThatDrip_holdNoSlots() throws Exception {
        open(limits(LONG, LONG, 64));
        for (int i = 0; i < 8; i++) {
            // The server asks for the body when the slot of the page is free again.
            RawClient drips =
                    client().send(post(TOKEN, "Content-Length: 10\r\nExpect: 100-continue"));
            assertThat(drips.read(true).status()).isEqualTo(100);
        }
        assertThat(client().send(post(TOKEN, "Content-Length: 2") + "ab")
                        .read(false)
                        .body())
                .isEqualTo("{\"body\":\"ab\"}\n");
    }

    @Test
    void bodyIsRead_whole_andTheConnectionIsKept() throws IOException {
        open(limits(LONG, LONG, 64));
        RawClient client = client();
        client.send(post(TOKEN, "Content-Length: 4\r\nExpect: 100-continue"));
        assertThat(client.read(true).status()).isEqualTo(100);
        assertThat(client.send("abcd").read(false).body()).isEqualTo("{\"body\":\"abcd\"}\n");
        client.send(post(TOKEN, "Transfer-Encoding: chunked")
                + "2\r\nef\r\n1\r\ng\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertThat(client.read(false).body()).isEqualTo("{\"body\":\"efg\"}\n");
        assertThat(client.read(false).body()).isEqualTo("{\"status\":\"up\"}\n");
    }

    @Test
    void manyRequestsOfOneConnection_areAllAnswered() throws IOException {
        open(limits(LONG, LONG, 64));
        RawClient client = client();
        String page = "GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n";
        String health = page.replace("/other", "/health");
        for (int i = 0; i < 2000; i++) {
            assertThat(client.send(page).read(false).status()).isEqualTo(404);
            assertThat(client.send(health).read(false).status()).isEqualTo(200);
            client.send(health + page);
            assertThat(client.read(false).status()).isEqualTo(200);
            assertThat(client.read(false).status()).isEqualTo(404);
            // In two segments: a read that completes no message must not be the last.
            client.send(page.substring(0, 20)).send(page.substring(20));
            assertThat(client.read(false).status()).isEqualTo(404);
        }
    }

    @Test
    void bodyBeyondTheLimit_isRefused_announcedOrNot() throws IOException {
        open(limits(LONG, LONG, 64));
        assertThat(client().send(post(TOKEN, "Content-Length: 4097"))
                        .read(false)
                        .status())
                .isEqualTo(413);
        assertThat(client().send(post(TOKEN, "Transfer-Encoding: chunked") + "1001\r\n"
                                + "x".repeat(4097) + "\r\n")
                        .read(false)
                        .status())
                .isEqualTo(413);
    }

    @Test
    void headBeyondTheLimit_isRefused() throws IOException {
        open(limits(LONG, LONG, 64));
        assertThat(client().send("GET /" + "a".repeat(2000) + " HTTP/1.1\r\n")
                        .read(false)
                        .status())
                .isEqualTo(414);
        assertThat(client().send("GET /health HTTP/1.1\r\nHost: localhost\r\nA: " + "a".repeat(2000)
                                + "\r\n\r\n")
                        .read(false)
                        .status())
                .isEqualTo(431);
        assertThat(client().send("nonsense\r\n\r\n").read(false).status()).isEqualTo(400);
    }

    @Test
    void defectOfAPage_isOneResponse_andTheEndpointGoesOn() throws IOException {
        open(limits(LONG, LONG, 64));
        RawClient client = client();
        assertThat(client.send("GET /fault HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        .read(false)
                        .status())
                .isEqualTo(500);
        assertThat(client.send("HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        .read(true)
                        .status())
                .isEqualTo(200);
        assertThat(client.send("POST /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        .read(false)
                        .field("Allow"))
                .isEqualTo("GET, HEAD");
        assertThat(client.send("GET /health HTTP/1.1\r\nHost: other.example\r\n\r\n")
                        .read(false)
                        .status())
                .isEqualTo(421);
    }

    private static String post(String token, String fields) {
        return "POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n"
                + fields + "\r\n\r\n";
    }
}
