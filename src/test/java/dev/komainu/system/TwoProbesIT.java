package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.kit.Nightly;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Two agents watch one nginx: the one beside it, and a probe that sees its packets only. The first
 * is killed in the middle and comes back. Whatever adds up connections must come to nginx's own
 * count. {@link SplitViewsIT} holds the same for probes on several links.
 */
@Tag(Nightly.TAG)
class TwoProbesIT {

    private static final int PER_SECOND = 150;
    private static final int SECONDS = 12;
    private static final int KILLED_AFTER = 4;
    /** Seconds looked at before the first connection. */
    private static final int BEFORE = 2;

    @Test
    void probeBesideTheServerKilledInTheMiddle_everyConnectionCountsOnceInEveryTotal()
            throws Exception {
        Capability.need("captures", Capability.NET_RAW);
        InetAddress own = outerAddress();
        Assumptions.assumeTrue(
                own != null, "no address besides loopback: two hosts cannot mean one server by it");
        try (RealNginx nginx = RealNginx.start(own);
                Platform platform = Platform.up(Map.of("KOMAINU_MORE_PARTS", "any"))) {
            String address = own.getHostAddress() + ":" + nginx.port();
            Process probe = probe(platform, address);
            try {
                JsonNode service = Awaitility.await("both are heard of " + address)
                        .atMost(Duration.ofSeconds(60))
                        .pollInterval(Duration.ofMillis(500))
                        .until(
                                () -> told(platform, nginx.port()),
                                it -> it.path("reportedBy").size() == 2);
                assertThat(service.path("node").asString("")).isNotEmpty();

                // A step of ten seconds tells a rate: all of its seconds must have been watched.
                long watched = Instant.now().getEpochSecond() + 1;
                Awaitility.await("every second of the first step is watched")
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> (Instant.now().getEpochSecond() - BEFORE) / 10 * 10 > watched);

                Instant begun = Instant.now();
                long before = nginx.accepted();
                long killed = load(platform, own, nginx.port());
                Instant ended = Instant.now();
                long made = nginx.accepted() - before;
                assertThat(made).isEqualTo((long) PER_SECOND * SECONDS);
                Awaitility.await("the launcher started the agent again")
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> platform.processId("agent") != killed);

                Instant from = begun.truncatedTo(ChronoUnit.SECONDS).minusSeconds(BEFORE);
                Instant to = ended.truncatedTo(ChronoUnit.SECONDS).plusSeconds(3);
                // From memory, then, from before the start of the centre, out of the store in
                // seconds and in tens.
                for (int step : new int[] {1, 10}) {
                    for (Instant first : new Instant[] {from, from.minusSeconds(600)}) {
                        Awaitility.await("connections in steps of " + step + " s from " + first)
                                .atMost(Duration.ofSeconds(60))
                                .pollDelay(Duration.ZERO)
                                .pollInterval(Duration.ofSeconds(1))
                                .untilAsserted(
                                        () -> assertThat(sum(platform, service, first, to, step))
                                                .isEqualTo(made));
                    }
                }
                Set<String> tuples = new HashSet<>();
                int[] rows = new int[1];
                Awaitility.await("connections one by one")
                        .atMost(Duration.ofSeconds(60))
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofSeconds(2))
                        .untilAsserted(() -> {
                            tuples.clear();
                            rows[0] = collect(platform, service, from, tuples);
                            assertThat(rows[0]).isEqualTo((int) made);
                        });
                assertThat(tuples).hasSize(rows[0]);
            } finally {
                probe.destroy();
                if (!probe.waitFor(60, TimeUnit.SECONDS)) {
                    probe.destroyForcibly();
                }
            }
        }
    }

    private static Process probe(Platform platform, String address) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Platform.ROOT.resolve("komainu").toString(),
                "agent",
                "--node",
                "probe",
                "--capture-only",
                "--interface",
                "lo",
                "--service",
                address,
                "--central",
                platform.url(),
                "--token-file",
                platform.data().resolve("tokens/ingest.token").toString(),
                "--data",
                platform.data().resolve("probe").toString());
        builder.environment().put("KOMAINU_BUILT", "yes");
        Path log = platform.data().resolve("log/probe.log");
        return builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    }

    private static JsonNode told(Platform platform, int port) throws InterruptedException {
        JsonNode listed = platform.serviceOnPort(port);
        return listed.isMissingNode() ? listed : platform.tryGet(Platform.pathOf(listed));
    }

    /**
     * New connections at an even pace; kills the platform's agent on the way. Returns the process
     * it killed.
     */
    private static long load(Platform platform, InetAddress address, int port) throws Exception {
        long killed = 0;
        long begun = System.nanoTime();
        for (int i = 0; i < PER_SECOND * SECONDS; i++) {
            if (i == PER_SECOND * KILLED_AFTER) {
                killed = platform.processId("agent");
                platform.kill("agent");
            }
            long due = begun + i * 1_000_000_000L / PER_SECOND;
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                TimeUnit.NANOSECONDS.sleep(left);
            }
            try (Socket socket = new Socket(address, port)) {
                socket.getOutputStream()
                        .write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
            }
        }
        return killed;
    }

    private static long sum(Platform platform, JsonNode service, Instant from, Instant to, int step)
            throws IOException, InterruptedException {
        JsonNode series = platform.get(
                Platform.pathOf(service) + "/series?index=connectionsPerSecond&stepSeconds=" + step
                        + "&from=" + from + "&to=" + to);
        assertThat(series.path("stepSeconds").asInt()).isEqualTo(step);
        double sum = 0;
        for (JsonNode value : series.path("columns").path("connectionsPerSecond")) {
            sum += value.asDouble(0) * step;
        }
        return Math.round(sum);
    }

    private static int collect(
            Platform platform, JsonNode service, Instant from, Set<String> tuples)
            throws IOException, InterruptedException {
        int rows = 0;
        String cursor = "";
        do {
            JsonNode page = platform.get(Platform.pathOf(service) + "/connections?limit=300&from="
                    + from + "&to=" + Instant.now().plusSeconds(5) + cursor);
            for (JsonNode connection : page.path("items")) {
                rows++;
                tuples.add(connection.path("client").asString() + " "
                        + connection.path("start").asString());
            }
            String next = page.path("nextCursor").asString("");
            cursor = next.isEmpty()
                    ? ""
                    : "&cursor=" + URLEncoder.encode(next, StandardCharsets.UTF_8);
        } while (!cursor.isEmpty());
        return rows;
    }

    private static InetAddress outerAddress() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(Inet4Address.class::isInstance)
                .filter(address -> !address.isLoopbackAddress())
                .findFirst()
                .orElse(null);
    }
}
