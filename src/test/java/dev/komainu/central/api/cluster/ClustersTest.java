package dev.komainu.central.api.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests from organizers' reports to the REST API and back to a member's control endpoint. */
class ClustersTest extends CentralTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @LocalServerPort
    private int port;

    private static ClusterView view(
            String cluster,
            String member,
            String digest,
            List<String> sees,
            ClusterView.@Nullable Event event) {
        List<ClusterView.Member> members = new ArrayList<>();
        List<ClusterView.Route> routes = new ArrayList<>();
        for (String each : sees) {
            members.add(new ClusterView.Member(
                    each,
                    "10.0.0.1:7691",
                    1_000_000,
                    false,
                    false,
                    false,
                    "up",
                    "reached",
                    300,
                    new ClusterView.Member.Load(2, 1_500, 10, 0)));
            routes.add(new ClusterView.Route("www.example.com/", each, 1, 64, false, ""));
        }
        return new ClusterView(
                cluster,
                member,
                "host-" + cluster,
                1_000_000,
                System.currentTimeMillis() * 1_000,
                new ClusterView.Peers(sees.size(), members, List.of()),
                new ClusterView.Routing(digest, routes, List.of()),
                List.of(
                        new ClusterView.Server("127.0.0.1:8080", "up"),
                        new ClusterView.Server("localhost:1", "up")),
                List.of(new ClusterView.Count("requests", 7)),
                event == null ? List.of() : List.of(event));
    }

    private JsonNode send(String source, TelemetryRecord... records)
            throws IOException, InterruptedException {
        StringBuilder lines = new StringBuilder();
        for (TelemetryRecord record : records) {
            lines.append(RecordJson.write(record)).append('\n');
        }
        HttpResponse<String> answer = HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/ingest"))
                        .header("Content-Type", "application/x-ndjson")
                        .header("Authorization", "Bearer " + token(Scope.INGEST))
                        .header("Komainu-Batch", source + "/1/" + System.nanoTime())
                        .POST(HttpRequest.BodyPublishers.ofString(lines.toString()))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(answer.body());
    }

    @Test
    void cluster_reported_isListedWithItsMembersAndWhatTheyServe() throws Exception {
        send("organizer@shop/web1", view("shop", "web1", "d", List.of("web1", "web2"), null));

        JsonNode summary = null;
        for (JsonNode each :
                browser(Role.VIEWER).get("/api/v1/clusters").expect(200).json()) {
            summary = each.get("name").asString().equals("shop") ? each : summary;
        }
        assertThat(summary).isNotNull();
        assertThat(summary.get("members").asInt()).isEqualTo(2);
        assertThat(summary.get("prefixes").asInt()).isEqualTo(1);
        JsonNode detail =
                browser(Role.VIEWER).get("/api/v1/clusters/shop").expect(200).json();
        assertThat(detail.at("/cluster/members/1/name").asString()).isEqualTo("web2");
        assertThat(detail.at("/cluster/members/1/reports").asBoolean(true)).isFalse();
        assertThat(detail.at("/cluster/routes/0/prefix").asString()).isEqualTo("www.example.com/");
        assertThat(detail.at("/takeOrders").isEmpty()).isTrue();
        browser(Role.VIEWER).get("/api/v1/clusters/nobody").expect(404);
        machine(Scope.METRICS_READ).get("/api/v1/clusters").expect(403);
    }

    @Test
    void line_reportsTransportAndTimeOfFailure_anOlderMembersDoesNot() throws Exception {
        ClusterView view = view("lines", "web1", "d", List.of("web1", "web2", "web3"), null);
        List<ClusterView.Line> lines = List.of(
                new ClusterView.Line(
                        "web2",
                        "quic",
                        new ClusterView.Line.Use(4, 0, 0, 0, 0),
                        300,
                        new ClusterView.Line.Traffic(0, 0, 0, 0),
                        "",
                        null),
                new ClusterView.Line(
                        "web3",
                        "tcp",
                        new ClusterView.Line.Use(0, 0, 0, 0, 1),
                        0,
                        new ClusterView.Line.Traffic(0, 0, 0, 0),
                        "nobody",
                        1_000_000L),
                new ClusterView.Line(
                        "web4",
                        null,
                        new ClusterView.Line.Use(0, 0, 0, 0, 1),
                        0,
                        new ClusterView.Line.Traffic(0, 0, 0, 0),
                        "nobody",
                        null));
        send(
                "organizer@lines/web1",
                new ClusterView(
                        view.cluster(),
                        view.member(),
                        view.node(),
                        view.startedMicros(),
                        view.atMicros(),
                        new ClusterView.Peers(view.peers().group(), view.peers().members(), lines),
                        view.routing(),
                        view.servers(),
                        view.counts(),
                        view.events()));

        JsonNode detail = browser(Role.VIEWER)
                .get("/api/v1/clusters/lines")
                .expect(200)
                .json()
                .at("/cluster/lines");
        assertThat(detail.at("/0/carrier").asString()).isEqualTo("quic");
        assertThat(detail.at("/0/downSince").isNull()).isTrue();
        assertThat(detail.at("/1/carrier").asString()).isEqualTo("tcp");
        assertThat(detail.at("/1/downSince").asString()).isEqualTo("1970-01-01T00:00:01Z");
        assertThat(detail.at("/2/carrier").isNull()).isTrue();
        assertThat(detail.at("/2/downSince").isNull()).isTrue();
    }

    @Test
    void event_reportedByTwoMembers_isOneEntryWithBoth() throws Exception {
        long at = System.currentTimeMillis() * 1_000;
        ClusterView.Event event = new ClusterView.Event(1, at, "lost", "web3", "web3 is gone");
        send("organizer@told/web1", view("told", "web1", "d", List.of("web1", "web2"), event));
        send("organizer@told/web2", view("told", "web2", "d", List.of("web1", "web2"), event));
        ClusterView.Event again =
                new ClusterView.Event(2, at + 1_000_000, "lost", "web3", "web3 is gone");
        send("organizer@told/web1", view("told", "web1", "d", List.of("web1", "web2"), again));

        JsonNode events = browser(Role.VIEWER)
                .get("/api/v1/clusters/told/events?limit=1")
                .expect(200)
                .json();
        assertThat(events.at("/items/0/seenBy/0").asString())
                .as("the second time")
                .isEqualTo("web1");
        JsonNode earlier = browser(Role.VIEWER)
                .get("/api/v1/clusters/told/events?cursor="
                        + events.get("nextCursor").asString())
                .expect(200)
                .json();
        assertThat(earlier.at("/items")).hasSize(1);
        assertThat(earlier.at("/items/0/kind").asString()).isEqualTo("lost");
        assertThat(earlier.at("/items/0/seenBy")).hasSize(2);
    }

    @Test
    void member_thatLeavesCleanly_isNotMissing() throws Exception {
        send("organizer@bye/web2", view("bye", "web2", "d", List.of("web1", "web2"), null));
        long at = System.currentTimeMillis() * 1_000;
        send(
                "organizer@bye/web1",
                view(
                        "bye",
                        "web1",
                        "e",
                        List.of("web1"),
                        new ClusterView.Event(1, at, "left", "web2", "web2 left")));

        assertThat(browser(Role.VIEWER)
                        .get("/api/v1/clusters/bye")
                        .expect(200)
                        .json()
                        .at("/cluster/members"))
                .hasSize(1);
    }

    @Test
    void cluster_serversThatAreWatched_areListedWithTheirStates() throws Exception {
        long now = System.currentTimeMillis() * 1_000;
        ServiceSighting sighting = new ServiceSighting(
                "host-judged:8080",
                "host-judged",
                "nginx",
                "nginx",
                null,
                List.of(new Endpoint(InetAddress.ofLiteral("10.77.0.1"), 8080)),
                new ServiceSighting.ServerProcess(null, null),
                List.of(),
                now);
        send("agent@host-judged", sighting);
        judged("host-judged:8080");

        JsonNode answer =
                send("organizer@judged/web1", view("judged", "web1", "d", List.of("web1"), null));

        assertThat(answer.get("judged").get("127.0.0.1:8080").asString())
                .isIn("unknown", "unreachable", "normal");
        assertThat(answer.get("judged").has("localhost:1")).isFalse();
        assertThat(browser(Role.VIEWER)
                        .get("/api/v1/clusters/judged")
                        .expect(200)
                        .json()
                        .at("/watched/0/service")
                        .asString())
                .isEqualTo("host-judged:8080");
        assertThat(send("agent@host-judged", sighting).has("judged")).isFalse();
    }

    @Test
    void drainAndWeight_areOrdersToTheMember_andLinesOfTheAudit() throws Exception {
        List<String> requests = new CopyOnWriteArrayList<>();
        HttpServer organizer =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
        organizer.createContext("/", exchange -> {
            try (exchange) {
                requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                        + exchange.getRequestHeaders().getFirst("Authorization"));
                boolean knows = !exchange.getRequestURI().getQuery().contains("other/");
                byte[] body = (knows ? "{}" : "{\"detail\":\"This member does not serve other/\"}")
                        .getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(knows ? 200 : 404, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        organizer.start();
        String drain = "/api/v1/clusters/orders/members/web1/drain";
        String weight = "/api/v1/clusters/orders/members/web1/weight";
        try {
            send("organizer@orders/web1", view("orders", "web1", "d", List.of("web1"), null));
            assertThat(browser(Role.OPERATOR)
                            .put(drain, Map.of("on", true))
                            .expect(409)
                            .problem())
                    .isEqualTo("member-takes-no-orders");
            Files.writeString(
                    cachesFile(),
                    "\norders/web1 http://127.0.0.1:" + organizer.getAddress().getPort()
                            + " the-token\n");
            Awaitility.await()
                    .until(() -> browser(Role.VIEWER)
                            .get("/api/v1/clusters/orders")
                            .json()
                            .at("/takeOrders")
                            .toString()
                            .contains("web1"));

            browser(Role.VIEWER).put(drain, Map.of("on", true)).expect(403);
            browser(Role.OPERATOR).put(drain, Map.of()).expect(400);
            browser(Role.OPERATOR).put(drain, Map.of("on", true)).expect(200);
            assertThat(requests).containsExactly("POST /control/v1/drain?on=true Bearer the-token");
            browser(Role.OPERATOR)
                    .put(weight, Map.of("prefix", "www.example.com/", "weight", 1_001))
                    .expect(400);
            browser(Role.OPERATOR)
                    .put(weight, Map.of("prefix", "www.example.com/", "weight", 5))
                    .expect(200);
            assertThat(requests.getLast())
                    .startsWith("POST /control/v1/weight?")
                    .contains("weight=5", "prefix=www.example.com%2F");
            browser(Role.OPERATOR)
                    .put(weight, Map.of("prefix", "other/", "weight", 5))
                    .expect(404);
            browser(Role.OPERATOR)
                    .put("/api/v1/clusters/orders/members/nobody/drain", Map.of("on", true))
                    .expect(404);
            assertThat(machine(Scope.ADMIN).get("/api/v1/audit?limit=50").body())
                    .contains(
                            "cluster.drain",
                            "cluster.weight",
                            "orders/web1",
                            "www.example.com/ 1",
                            "www.example.com/ 5");
        } finally {
            organizer.stop(0);
            Files.deleteIfExists(cachesFile());
        }
    }
}
