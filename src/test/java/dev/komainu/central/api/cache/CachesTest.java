package dev.komainu.central.api.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.LiveFeed;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import tools.jackson.databind.JsonNode;

/** Tests of the path from a caller through this service to a proxy's control endpoint and back. */
class CachesTest extends CentralTest {

    private static final String SERVICE = "cached:7680";
    private static final String CACHE = "/api/v1/caches/" + SERVICE;
    private static final String CONTENTS = """
            {"prefix":"h/","objects":3,"bytes":3000,"hits":9,"looked":4,"truncated":false,"tookMicros":8,"newer":1,
             "children":[{"name":"a/","prefix":"h/a/","object":false,"objects":3,"bytes":3000,"hits":9,"stale":1,
              "oldestSeconds":60,"newestSeconds":2}],"next":null}""";
    private static final String OBJECT = """
            {"url":"h/a/1","vary":["accept-encoding"],"truncated":false,"variants":[{"status":200,
             "selectedBy":{"accept-encoding":null},"bodyBytes":10,"weightBytes":600,"hits":1,"ageSeconds":1,
             "freshSeconds":-5,"state":"stale","storedMicros":1,"etag":null,"lastModified":null,"tags":["t"],
             "groups":[],"head":[["Content-Type","text/html"]]}]}""";
    private static final String PURGED = """
            {"matched":3,"bytes":3000,"purged":3,"samples":["h/a/1"],"dryRun":false,"soft":false,"tookMicros":5}""";
    private static final String POOLS = """
            {"mode":"single","priority":["/shop/"],"floorPercent":20,"dampingPercent":20,"wholeBytes":1000,
             "currentBytes":0,"targetBytes":0,"periods":0,
             "protected":{"bytes":0,"maximumBytes":0,"storedBytes":0,"unreferencedBytes":0,"entries":0,"evictions":0,
              "hits":0,"hitBytes":0,"misses":0},
             "normal":{"bytes":900,"maximumBytes":1000,"storedBytes":800,"unreferencedBytes":300,"entries":3,"evictions":1,
              "hits":7,"hitBytes":70,"misses":2,"later":1},
             "resettlement":{"looked":0,"of":0,"moved":0,"done":true}}""";
    private static final String PEAK = """
            {"peak":true,"ground":"expected","reason":"a usual peak begins in 420 s","sinceMicros":1,"orderedUntilMicros":null,
             "switches":3,"usualArrivals":40.5,"atThisTimeOfDay":{"median":1,"spread":1,"days":2},
             "next":{"atMicros":5,"spreadMicros":1,"confidence":0.9,"switchedAheadMicros":4,"givenUpMicros":6,
              "usualLengthMicros":7},
             "readings":{"atMicros":1,"arrivals":3.5,"diskReads":0,"diskReadP95Millis":null,"diskQueue":0,"diskBusy":0.0,
              "loopDelayMillis":0.1},
             "history":[{"peak":true,"ground":"expected","reason":"r","sinceMicros":1}]}""";
    private static final String MANAGEMENT = ",\"peak\":true,\"cachePartition\":" + POOLS + """
            ,"reclaim":{"enabled":true,"clientIdleMillis":60000,"resources":[{"resource":"ports","used":null,"limit":null,
              "beginPercent":90,"endPercent":85,"short":true}],"ageSeconds":[1],"idleClients":[2,3],"idleOrigins":[0,1],
              "closed":[{"side":"client","reason":"newcomer","count":4}]},
             "buffers":{"scheme":"equation","budgetBytes":3276800,"inUse":1,"idle":2,"inUseBytes":3,"idleBytes":4,
              "freeBytes":5,"levelBytes":6,"waiting":7,"waits":8,"flows":[{"client":"10.0.0.1:5","rttMicros":9,
              "bytesPerSecond":null,"wantBytes":10,"shareBytes":11,"outstandingBytes":12}]}""";
    private static final AtomicLong CHANGED = new AtomicLong(1_000_000);
    private static long sequence;

    @Autowired
    private LiveFeed intake;

    @Autowired
    private Assessor assessor;

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile int status = 200;
    private volatile boolean tellsManagement = true;
    private HttpServer proxy;

    @BeforeEach
    void setUp() throws IOException {
        proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        proxy.createContext("/", exchange -> {
            try (exchange) {
                String body = new String(
                        exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                requests.add((exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                                + exchange.getRequestHeaders().getFirst("Authorization") + " "
                                + body)
                        .strip());
                String answer = switch (exchange.getRequestURI().getPath()) {
                    case "/control/v1/stats" ->
                        "{\"service\":\"x\",\"hits\":17,\"hitP50\":null,\"origins\":[{\"server\":\"web:80\",\"up\":false,"
                                + "\"open\":3,\"waiting\":2,\"requests\":90,\"failures\":4,\"ejections\":1,\"later\":0}]"
                                + (tellsManagement ? MANAGEMENT : "") + "}";
                    case "/control/v1/peak" -> PEAK;
                    case "/control/v1/partition" ->
                        exchange.getRequestMethod().equals("GET")
                                ? POOLS
                                : POOLS.replace("\"single\"", "\"partition\"");
                    case "/control/v1/contents" -> CONTENTS;
                    case "/control/v1/contents/object" ->
                        exchange.getRequestURI().getQuery().contains("plain")
                                ? OBJECT.replaceFirst("\\[\"accept-encoding\"]", "null")
                                        .replaceFirst("\\{\"accept-encoding\":null}", "null")
                                : OBJECT;
                    case "/control/v1/purge" -> PURGED;
                    default -> "{}";
                };
                byte[] bytes = (status == 200 ? answer : "{\"detail\":\"its own words\"}")
                        .getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(status, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        });
        proxy.start();
        introduce("http://127.0.0.1:" + proxy.getAddress().getPort() + " the-token");
        sight(SERVICE, 7680);
    }

    @AfterEach
    void tearDown() {
        proxy.stop(0);
    }

    private static void introduce(String where) throws IOException {
        Files.writeString(cachesFile(), "# ours\n" + SERVICE + " " + where + "\nnonsense\n");
        // Two writes within the time resolution of the file system would look like one.
        Files.setLastModifiedTime(cachesFile(), FileTime.fromMillis(CHANGED.addAndGet(5_000)));
    }

    private void sight(String service, int port) {
        long now = System.currentTimeMillis() * 1_000;
        intake.stored(new Batch(
                new BatchId("proxy@" + service, 1, ++sequence),
                List.of(new ServiceSighting(
                        service,
                        "cached",
                        "komainu :" + port,
                        "komainu",
                        "0.1.0",
                        List.of(new Endpoint(InetAddress.ofLiteral("127.0.0.77"), port)),
                        new ServiceSighting.ServerProcess(null, null),
                        List.of(
                                new Setting("mode", "reverse", "effective"),
                                new Setting("cache.memory", "67108864", "effective")),
                        now))));
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> assessor.find(service).isPresent());
    }

    private String lastRequest() {
        return requests.getLast();
    }

    @Test
    void list_namesOurProxiesAndWhetherTheyTakeOrders() {
        JsonNode mine = null;
        for (JsonNode each :
                machine(Scope.SERVERS_READ).get("/api/v1/caches").expect(200).json()) {
            mine = each.get("id").asString().equals(SERVICE) ? each : mine;
        }
        assertThat(mine).isNotNull();
        assertThat(mine.get("takesOrders").asBoolean()).isTrue();
        assertThat(mine.get("budgetBytes").asLong()).isEqualTo(67_108_864);
        assertThat(mine.get("hitRatio").isNull()).isTrue();
    }

    @Test
    void detail_reportsTheProxysValuesOrTheFailure() throws IOException {
        JsonNode ready = browser(Role.VIEWER).get(CACHE).expect(200).json();
        assertThat(ready.at("/control/state").asString()).isEqualTo("ready");
        assertThat(ready.at("/figures/hits").asLong()).isEqualTo(17);
        assertThat(ready.at("/origins/0/server").asString()).isEqualTo("web:80");
        assertThat(ready.at("/origins/0/up").asBoolean(true)).isFalse();
        assertThat(ready.at("/origins/0/waiting").asLong()).isEqualTo(2);
        assertThat(lastRequest()).isEqualTo("GET /control/v1/stats Bearer the-token");

        status = 401;
        JsonNode refused = browser(Role.VIEWER).get(CACHE).expect(200).json();
        assertThat(refused.at("/control/state").asString()).isEqualTo("token-refused");
        assertThat(refused.at("/origins").isEmpty()).isTrue();
        assertThat(refused.at("/control/detail").asString()).contains("its own words");

        proxy.stop(0);
        assertThat(browser(Role.VIEWER)
                        .get(CACHE)
                        .expect(200)
                        .json()
                        .at("/control/state")
                        .asString())
                .isEqualTo("unreachable");
        introduce("http://127.0.0.1:1");
        assertThat(browser(Role.VIEWER).get(CACHE + "/contents").expect(502).problem())
                .isEqualTo("proxy-unreachable");
    }

    @Test
    void contents_passThroughWithTheirQuestion() {
        JsonNode contents = browser(Role.VIEWER)
                .get(CACHE + "/contents?prefix=h/%3Fa&sort=hits&limit=5&cursor=c")
                .expect(200)
                .json();
        assertThat(contents.at("/children/0/prefix").asString()).isEqualTo("h/a/");
        assertThat(lastRequest())
                .startsWith(
                        "GET /control/v1/contents?prefix=h%2F%3Fa&sort=hits&limit=5&cursor=c&hideQueries=true Bearer");
        browser(Role.OPERATOR).get(CACHE + "/contents?prefix=h/%3Fa").expect(200);
        assertThat(lastRequest()).contains("prefix=h%2F%3Fa").doesNotContain("hideQueries");
        browser(Role.OPERATOR).get(CACHE + "/object?url=http://h/a/1").expect(200);
        assertThat(lastRequest()).contains("/object").doesNotContain("hideQueries");
        browser(Role.VIEWER).get(CACHE + "/object?url=http://h/a/1").expect(200);
        assertThat(lastRequest()).contains("/object").contains("hideQueries=true");
        assertThat(browser(Role.VIEWER)
                        .get(CACHE + "/contents?sort=colour")
                        .expect(400)
                        .body())
                .contains("colour");
        JsonNode object = browser(Role.VIEWER)
                .get(CACHE + "/object?url=http://h/a/1")
                .expect(200)
                .json();
        assertThat(object.at("/variants/0/state").asString()).isEqualTo("stale");
        // An object without Vary: the proxy sends null for an absent value.
        JsonNode plain = browser(Role.VIEWER)
                .get(CACHE + "/object?url=http://h/plain")
                .expect(200)
                .json();
        assertThat(plain.at("/vary").isEmpty()).isTrue();
        assertThat(plain.at("/variants/0/selectedBy").isEmpty()).isTrue();
        status = 404;
        browser(Role.VIEWER).get(CACHE + "/object?url=http://h/none").expect(404);
        status = 400;
        browser(Role.VIEWER).get(CACHE + "/object?url=nonsense").expect(400);
        status = 500;
        assertThat(browser(Role.VIEWER).get(CACHE + "/contents").expect(502).problem())
                .isEqualTo("proxy-failed");
    }

    @Test
    void purge_isSentOnceForItsKeyAndRecorded() {
        CentralClient operator = browser(Role.OPERATOR).withHeader("Idempotency-Key", "purge-once");
        Map<String, Object> order = Map.of("tags", List.of("sale", "p17"), "soft", true);

        JsonNode first = operator.post(CACHE + "/purges", order).expect(200).json();
        JsonNode second = operator.post(CACHE + "/purges", order).expect(200).json();

        assertThat(first.get("purged").asInt()).isEqualTo(3);
        assertThat(second).isEqualTo(first);
        assertThat(requests)
                .containsExactly("POST /control/v1/purge Bearer the-token"
                        + " {\"tags\":[\"sale\",\"p17\"],\"soft\":true,\"dryRun\":false}");
        assertThat(operator.post(CACHE + "/purges", Map.of("all", true))
                        .expect(422)
                        .problem())
                .isEqualTo("idempotency-key-reused");
        JsonNode audit = machine(Scope.ADMIN).get("/api/v1/audit?limit=5").json();
        assertThat(audit.toString())
                .contains(
                        "cache.purge",
                        SERVICE + " tags sale p17",
                        "made stale: 3 of 3 matches, 3000 bytes");
    }

    @Test
    void purge_dryRun_leavesNoTrace() {
        browser(Role.OPERATOR)
                .post(CACHE + "/purges", Map.of("prefix", "dry.example/x", "dryRun", true))
                .expect(200);
        assertThat(lastRequest())
                .endsWith("{\"prefix\":\"dry.example/x\",\"soft\":false,\"dryRun\":true}");
        assertThat(machine(Scope.ADMIN).get("/api/v1/audit?limit=20").body())
                .doesNotContain("dry.example");
    }

    @Test
    void purge_failedAtTheProxy_mayBeSentAgainUnderItsKey() {
        CentralClient operator =
                browser(Role.OPERATOR).withHeader("Idempotency-Key", "purge-again");
        status = 503;
        operator.post(CACHE + "/purges", Map.of("all", true)).expect(502);
        status = 200;
        operator.post(CACHE + "/purges", Map.of("all", true)).expect(200);
        assertThat(requests).hasSize(2);
    }

    @Test
    void purge_withoutScopeOrMalformed_isRefused() {
        browser(Role.VIEWER).post(CACHE + "/purges", Map.of("all", true)).expect(403);
        CentralClient operator = browser(Role.OPERATOR);
        operator.post(CACHE + "/purges", Map.of()).expect(400);
        operator.post(CACHE + "/purges", Map.of("all", true, "url", "http://h/"))
                .expect(400);
        operator.post(CACHE + "/purges", Map.of("tags", List.of("a b"))).expect(400);
        assertThat(requests).isEmpty();
    }

    @Test
    void proxy_withoutALine_isReported() {
        sight("lonely:7690", 7690);
        CentralClient viewer = browser(Role.VIEWER);
        assertThat(viewer.get("/api/v1/caches/lonely:7690")
                        .expect(200)
                        .json()
                        .at("/control/state")
                        .asString())
                .isEqualTo("not-configured");
        assertThat(viewer.get("/api/v1/caches/lonely:7690/contents").expect(409).problem())
                .isEqualTo("cache-takes-no-orders");
        viewer.get("/api/v1/caches/nobody:1").expect(404);
    }

    @Test
    void management_passesThroughTheProxysReport() {
        JsonNode management =
                browser(Role.VIEWER).get(CACHE + "/management").expect(200).json();
        assertThat(management.at("/pools/mode").asString()).isEqualTo("single");
        assertThat(management.at("/pools/normal/unreferencedBytes").asLong()).isEqualTo(300);
        assertThat(management.at("/pools/protected/bytes").asLong(-1)).isZero();
        assertThat(management.at("/idle/resources/0/short").asBoolean()).isTrue();
        assertThat(management.at("/idle/resources/0/used").isNull()).isTrue();
        assertThat(management.at("/idle/closed/0/count").asInt()).isEqualTo(4);
        assertThat(management.at("/buffers/flows/0/bytesPerSecond").isNull()).isTrue();
        assertThat(management.at("/buffers/flows/0/shareBytes").asInt()).isEqualTo(11);

        assertThat(management.at("/peak/reason").asString())
                .isEqualTo("a usual peak begins in 420 s");
        assertThat(management.at("/peak/readings/diskReadP95Millis").isNull()).isTrue();
        assertThat(management.at("/peak/next/confidence").asDouble()).isEqualTo(0.9);

        tellsManagement = false;
        JsonNode old =
                browser(Role.VIEWER).get(CACHE + "/management").expect(200).json();
        assertThat(old.get("pools").isNull()).isTrue();
        assertThat(old.get("buffers").isNull()).isTrue();
    }

    @Test
    void pools_changed_areAnOrderAChangeAndALineOfTheAudit() {
        Map<String, Object> wanted =
                Map.of("mode", "partition", "priority", List.of("/shop/", "h/news/*"));
        browser(Role.VIEWER).put(CACHE + "/pools", wanted).expect(403);

        JsonNode after =
                browser(Role.OPERATOR).put(CACHE + "/pools", wanted).expect(200).json();

        assertThat(after.get("mode").asString()).isEqualTo("partition");
        assertThat(lastRequest())
                .startsWith("PUT /control/v1/partition Bearer the-token")
                .contains("\"mode\":\"partition\"", "\"priority\":[\"/shop/\",\"h/news/*\"]")
                .doesNotContain("floorPercent");
        // The former rules need only this.
        assertThat(requests).hasSize(2).first().asString().startsWith("GET /control/v1/partition ");
        assertThat(machine(Scope.SERVERS_READ)
                        .get("/api/v1/changes?service=" + SERVICE + "&limit=1")
                        .body())
                .contains("cache.partition", "single, M 20 %", "partition, M 20 %");
        assertThat(machine(Scope.ADMIN).get("/api/v1/audit?limit=5").body())
                .contains("cache.divide");
    }

    @Test
    void peak_ordered_isSentToTheProxyAndRecorded() {
        browser(Role.VIEWER).post(CACHE + "/peak", Map.of("mode", "peak")).expect(403);
        CentralClient operator = browser(Role.OPERATOR);
        operator.post(CACHE + "/peak", Map.of("mode", "never")).expect(400);
        operator.post(CACHE + "/peak", Map.of("mode", "peak", "seconds", 0)).expect(400);
        assertThat(requests).isEmpty();

        operator.post(CACHE + "/peak", Map.of("mode", "off-peak", "seconds", 90))
                .expect(200);

        assertThat(lastRequest())
                .startsWith("POST /control/v1/peak?")
                .contains("mode=off-peak", "seconds=90", "Bearer the-token");
        assertThat(machine(Scope.ADMIN).get("/api/v1/audit?limit=5").body())
                .contains("cache.peak", "off-peak for 90 s");
    }

    @Test
    void pools_malformed_areRefusedBeforeOrByTheProxyWithItsOwnText() {
        CentralClient operator = browser(Role.OPERATOR);
        assertThat(operator.put(CACHE + "/pools", Map.of("mode", "three"))
                        .expect(400)
                        .body())
                .contains("single, basic or partition");
        assertThat(requests).isEmpty();
        status = 400;
        assertThat(operator.put(CACHE + "/pools", Map.of("floorPercent", 400))
                        .expect(400)
                        .body())
                .contains("its own words");
    }
}
