package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.Capability;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * 20,000 connections are made; the platform must hold exactly those, whatever happens to its
 * centre.
 */
class EveryConnectionCountedIT {

    private static final int CONNECTIONS = 20_000;

    /** Fewer than an agent can read beside another test; the kernel drops what it cannot. */
    private static final int PER_SECOND = 1_500;

    @Test
    void twentyThousandConnections_centreKilledInTheMiddle_noneLostNoneDouble() throws Exception {
        Capability.need("captures", Capability.NET_RAW);
        try (RealNginx nginx = RealNginx.start();
                Platform platform = Platform.up()) {
            JsonNode service = await(platform, nginx.port());
            Instant begun = Instant.now();
            long acceptedBefore = nginx.accepted();

            load(nginx.port(), CONNECTIONS / 2);
            long before = platform.processId("central");
            platform.kill("central");
            load(nginx.port(), CONNECTIONS / 2);
            long made = nginx.accepted() - acceptedBefore;
            assertThat(made).isEqualTo(CONNECTIONS);

            Awaitility.await("the centre is back")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> platform.processId("central") != before
                            && !platform.tryGet("/api/v1/services").isMissingNode());
            Set<String> seen = new HashSet<>();
            Awaitility.await("all connections are stored")
                    .atMost(Duration.ofSeconds(90))
                    .pollInterval(Duration.ofSeconds(2))
                    .untilAsserted(() -> {
                        seen.clear();
                        int rows = collect(platform, service, begun, seen);
                        assertThat(rows)
                                .as(() -> figures(platform, service, begun, seen))
                                .isEqualTo((int) made);
                    });
            assertThat(seen).as("distinct connections").hasSize((int) made);
        }
    }

    private static JsonNode await(Platform platform, int port) {
        return Awaitility.await("the agent found nginx on port " + port)
                .atMost(Duration.ofSeconds(60))
                .until(() -> platform.serviceOnPort(port), service -> !service.isMissingNode());
    }

    private static void load(int port, int connections) throws InterruptedException {
        assertThat(ManyConnections.make(
                        "127.0.0.1", port, connections, PER_SECOND, new ConcurrentHashMap<>()))
                .isEqualTo(connections);
    }

    /**
     * Returns the listed connections by second, the windows and the drops, for a failure's message.
     */
    private static String figures(
            Platform platform, JsonNode service, Instant from, Set<String> seen) {
        Map<String, Integer> listed = new TreeMap<>();
        for (String connection : seen) {
            listed.merge(connection.split(" ")[1].substring(0, 19), 1, Integer::sum);
        }
        try {
            JsonNode series = platform.tryGet(Platform.pathOf(service)
                    + "/series?stepSeconds=1&from=" + from.minusSeconds(2) + "&to=" + Instant.now()
                    + "&index=connectionsPerSecond&index=captureLossShare");
            StringBuilder drops = new StringBuilder();
            for (JsonNode source : platform.tryGet("/api/v1/sources")) {
                drops.append(source);
            }
            return "listed by second " + listed + ", sources " + drops + ", windows " + series;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** Pages through everything that the connections left behind; returns how many rows came. */
    private static int collect(Platform platform, JsonNode service, Instant from, Set<String> seen)
            throws IOException, InterruptedException {
        int rows = 0;
        String cursor = "";
        do {
            JsonNode page = platform.get(Platform.pathOf(service) + "/connections?limit=1000&from="
                    + from + "&to=" + Instant.now().plusSeconds(5) + cursor);
            for (JsonNode connection : page.path("items")) {
                rows++;
                seen.add(connection.path("client").asString() + " "
                        + connection.path("start").asString());
            }
            String next = page.path("nextCursor").asString("");
            cursor = next.isEmpty()
                    ? ""
                    : "&cursor="
                            + java.net.URLEncoder.encode(
                                    next, java.nio.charset.StandardCharsets.UTF_8);
        } while (!cursor.isEmpty());
        return rows;
    }
}
