package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.telemetry.kit.Capability;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/**
 * Our proxy before a real nginx, both watched by one agent: the packets of both sides tell the hit
 * ratio that the proxy counts itself. Then visitors who come and stay: the packets see them,
 * nginx's own log does not (thesis ch. 5 and 2.5.2).
 */
@Timeout(900)
class ProxyFromOutsideIT {

    private static final int HOT = 10;
    private static final int REQUESTS = 2_000;
    private static final int IDLE = 120;

    @Test
    void proxyWithSomeHits_andClientsThatStay_areSeenFromOutsideAsTheyAre() throws Exception {
        Capability.need("captures", Capability.NET_RAW);
        try (RealNginx nginx = RealNginx.cacheableWithLog();
                Platform platform = Platform.up("--origin", "http://127.0.0.1:" + nginx.port())) {
            int proxyPort = platform.proxy().getPort();
            JsonNode proxy = Awaitility.await("both sides of the proxy are known")
                    .atMost(Duration.ofSeconds(60))
                    .until(
                            () -> withBothSides(platform, proxyPort),
                            found -> !found.isMissingNode());
            JsonNode origin = platform.serviceOnPort(nginx.port());

            ask(platform.proxy());
            Awaitility.await("hit ratio from outside and the proxy's own")
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(500))
                    .untilAsserted(() -> hitRatiosAgree(
                            platform.get(Platform.pathOf(proxy) + "/outside?seconds=60")));
            Awaitility.await("every answer in the picture of T_r by T_d")
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(500))
                    .untilAsserted(() -> assertThat(
                                    platform.get(Platform.pathOf(proxy) + "/response-transfer")
                                            .path("answers")
                                            .asLong())
                            .isGreaterThanOrEqualTo(REQUESTS));

            if (RealSquid.isInstalled()) {
                squid(platform);
            }

            List<Socket> idle = stay(nginx.port());
            try {
                Awaitility.await("nginx's log of the same time")
                        .atMost(Duration.ofSeconds(120))
                        .pollInterval(Duration.ofSeconds(1))
                        .untilAsserted(() -> theLogMissesWhoStays(platform, origin));
            } finally {
                for (Socket socket : idle) {
                    socket.close();
                }
            }
        }
    }

    /** The service on a port, as soon as its origin side is known too; else missing. */
    private static JsonNode withBothSides(Platform platform, int port) throws InterruptedException {
        JsonNode service = platform.serviceOnPort(port);
        JsonNode originSide =
                platform.service("originSideOf", service.path("id").asString("none"));
        return originSide.isMissingNode() ? originSide : service;
    }

    /**
     * Somebody else's proxy, which tells us nothing but its log; before an origin of its own, so
     * that addresses decide.
     */
    private static void squid(Platform platform) throws Exception {
        try (RealNginx nginx = RealNginx.cacheableWithLog();
                RealSquid squid = RealSquid.before(nginx.port())) {
            JsonNode service = Awaitility.await("both sides of Squid are known")
                    .atMost(Duration.ofSeconds(60))
                    .until(
                            () -> withBothSides(platform, squid.port()),
                            found -> !found.isMissingNode());
            assertThat(service.path("kind").asString()).isEqualTo("squid");
            ask(squid.address());
            Awaitility.await("hit ratio from outside and by Squid's log")
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(500))
                    .untilAsserted(() -> assertThat(
                                    platform.get(Platform.pathOf(service) + "/outside?seconds=60")
                                            .path("hitRatio")
                                            .asDouble())
                            .isCloseTo(squid.hitRatio(), within(0.02)));
        }
    }

    private static void hitRatiosAgree(JsonNode outside) {
        double seen = outside.path("hitRatio").asDouble();
        JsonNode own = outside.path("own");
        assertThat(outside.path("counted").asString()).isEqualTo("requests");
        assertThat(outside.path("clientSide").path("requestsPerSecond").asDouble())
                .isGreaterThan(0);
        assertThat(seen).isCloseTo(own.path("notAskedRatio").asDouble(), within(0.02));
        assertThat(seen).isCloseTo(own.path("hitRatio").asDouble(), within(0.02));
        assertThat(seen).isBetween(0.5, 0.6);
        assertThat(outside.path("trafficSaved").asDouble()).isBetween(0.4, 0.7);
    }

    private static void theLogMissesWhoStays(Platform platform, JsonNode origin)
            throws IOException, InterruptedException {
        JsonNode outside = platform.get(Platform.pathOf(origin) + "/outside?seconds=10");
        double byPackets = outside.path("clientSide").path("concurrentMean").asDouble();
        JsonNode log = outside.path("log");
        assertThat(log.path("entriesPerSecond").isNumber()).isTrue();
        assertThat(log.path("concurrentMean").isNumber()).isTrue();
        assertThat(byPackets).isGreaterThanOrEqualTo(IDLE);
        assertThat(byPackets)
                .isGreaterThanOrEqualTo(
                        10 * Math.max(1, log.path("concurrentMax").asDouble()));
    }

    /**
     * Fifty-five of a hundred requests for what the proxy has, the rest for what nobody may keep.
     * One after the other.
     */
    private static void ask(URI proxy) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (int i = 0; i < HOT; i++) {
                get(client, proxy.resolve("/keep/" + i));
            }
            for (int i = 0; i < REQUESTS; i++) {
                get(client, proxy.resolve(i * 55 % 100 < 55 ? "/keep/" + i % HOT : "/fresh/" + i));
            }
        }
    }

    private static void get(HttpClient client, URI uri) throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = client.send(
                HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofByteArray());
        assertThat(answer.statusCode()).isEqualTo(200);
    }

    /** Connections that ask once and stay, as browsers do. */
    private static List<Socket> stay(int port) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < IDLE; i++) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
            sockets.add(socket);
            socket.getOutputStream()
                    .write("GET /keep/1 HTTP/1.1\r\nHost: a\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().read()).isEqualTo('H');
        }
        return sockets;
    }
}
