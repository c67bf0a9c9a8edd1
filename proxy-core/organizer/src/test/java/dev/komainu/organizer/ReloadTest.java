package dev.komainu.organizer;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.intermediary.control.ConfigurationReload;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.settings.Configuration;
import dev.komainu.settings.SettingTree;
import dev.komainu.settings.kit.WrittenSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reloads of an organizer's settings: the organizer and another member of its cluster, over real
 * sockets.
 */
class ReloadTest {

    private static final String TOKEN = "a-token-of-enough-length";

    @TempDir
    Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    /** The content of the file of {@link #web}, by key, as YAML. */
    private final Map<String, String> written = new ConcurrentHashMap<>();

    private int seed;
    private ScriptedOrigin shop;
    private ScriptedOrigin news;
    private Organizer web;
    private Organizer other;

    @BeforeEach
    void setUp() throws Exception {
        seed = freePort();
        shop = new ScriptedOrigin().ok("/", "", "shop");
        news = new ScriptedOrigin().ok("/", "", "news");
        written.putAll(base("web", seed));
        write("serve", "[" + serves("shop.example/", shop) + "]");
        web = start(written);
        other = start(base("other", freePort()));
        until(() -> choice(other, "shop.example/").contains("\"member\":\"web\""));
    }

    @AfterEach
    void tearDown() throws IOException {
        other.close();
        web.close();
        shop.close();
        news.close();
        http.close();
    }

    private Map<String, String> base(String member, int listen) {
        try {
            Path secret = Files.writeString(
                    directory.resolve("secret"), "kf83Lq0ZxW7vTn2RbYc5Dm9JhGs1UePa");
            Path tokens = Files.writeString(directory.resolve("tokens"), TOKEN + " config\n");
            Map<String, String> base = new HashMap<>();
            base.put("member", member);
            base.put("listen", "127.0.0.1:" + listen);
            base.put("line", "127.0.0.1:" + freePort());
            base.put("front", "{listen: \"127.0.0.1:" + freePort() + "\"}");
            base.put("detect", "10s");
            base.put("secret-file", secret.toString());
            base.put("meet.seeds", "[\"127.0.0.1:" + seed + "\"]");
            base.put("control.listen", "127.0.0.1:" + freePort());
            base.put("control.token-file", tokens.toString());
            return base;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Organizer start(Map<String, String> written) throws Exception {
        return Organizer.start(
                Configuration.read(() -> List.of(tree(written)), OrganizerSettings::read));
    }

    private static SettingTree tree(Map<String, String> written) {
        StringBuilder yaml = new StringBuilder();
        written.forEach(
                (key, value) -> yaml.append(key).append(": ").append(value).append('\n'));
        return WrittenSettings.tree(yaml.toString());
    }

    private static String serves(String prefix, ScriptedOrigin by) {
        return serves(prefix, by, "");
    }

    private static String serves(String prefix, ScriptedOrigin by, String more) {
        return "{prefix: \"" + prefix + "\", server: \"127.0.0.1:" + by.port() + "\"" + more + "}";
    }

    private void write(String... settings) {
        for (int i = 0; i < settings.length; i += 2) {
            written.put(settings[i], settings[i + 1]);
        }
    }

    private ConfigurationReload.Report reload(String... settings) {
        write(settings);
        return web.reload(false);
    }

    private HttpResponse<String> ask(
            Organizer organizer, String method, String path, String token) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + organizer.controlAddress().getPort() + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .header("Authorization", "Bearer " + token)
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String choice(Organizer at, String url) {
        return ask(at, "GET", "/control/v1/choice?url=" + url, TOKEN).body();
    }

    private String table(Organizer at) {
        return ask(at, "GET", "/control/v1/table", TOKEN).body();
    }

    private static void until(BooleanSupplier condition) {
        await().atMost(Duration.ofSeconds(60)).until(condition::getAsBoolean);
    }

    private static RawClient.Answer get(Organizer at, String host) throws IOException {
        try (RawClient client = new RawClient(at.front().address())) {
            client.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
            return client.read(false);
        }
    }

    @Test
    void serve_isOther_theNewPrefixIsServed_theFormerNoMore_alsoByTheOtherMember()
            throws Exception {
        assertThat(get(other, "shop.example").body()).isEqualTo("shop");
        ConfigurationReload.Report report = reload(
                "serve",
                "[" + serves("news.example/", news, ", weight: 7, capacity: 9, content: today")
                        + "]");
        assertThat(report.problems()).isEmpty();
        assertThat(report.applied()).containsExactly("serve");
        assertThat(report.needsRestart()).isEmpty();
        assertThat(report.generation()).isEqualTo(2);
        assertThat(get(web, "news.example").body())
                .as("as soon as it is answered")
                .isEqualTo("news");
        assertThat(get(web, "shop.example").status()).isEqualTo(404);
        until(() -> table(other).equals(table(web)));
        assertThat(table(other))
                .contains(
                        "\"prefix\":\"news.example/\",\"member\":\"web\",\"weight\":7,\"capacity\":9,")
                .contains("\"content\":\"today\"")
                .doesNotContain("shop.example");
        assertThat(get(other, "news.example").body()).isEqualTo("news");
        RawClient.Answer gone = get(other, "shop.example");
        assertThat(gone.status()).isEqualTo(404);
        assertThat(gone.field("proxy-status")).contains("details=\"no-route\"");
    }

    @Test
    void requestUnderWay_endsAsItBegan_whoComesNextIsAtTheOtherServer() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch goes = new CountDownLatch(1);
        shop.on("/slow", (request, socket, out) -> {
            asked.countDown();
            goes.await();
            out.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"
                    .getBytes(StandardCharsets.US_ASCII));
            return true;
        });
        news.ok("/slow", "", "news");
        try (RawClient before = new RawClient(other.front().address());
                RawClient after = new RawClient(other.front().address())) {
            before.send("GET /slow HTTP/1.1\r\nHost: shop.example\r\n\r\n");
            asked.await();
            assertThat(reload("serve", "[" + serves("shop.example/", news) + "]")
                            .applied())
                    .containsExactly("serve");
            after.send("GET /slow HTTP/1.1\r\nHost: shop.example\r\n\r\n");
            assertThat(after.read(false).body()).isEqualTo("news");
            goes.countDown();
            assertThat(before.read(false).body()).isEqualTo("done");
        }
    }

    @Test
    void serversThatStay_keepWhatIsKnownOfThem() throws Exception {
        get(web, "shop.example");
        reload(
                "serve",
                "[" + serves("shop.example/", shop) + "," + serves("news.example/", news) + "]");
        assertThat(web.server(UrlPrefix.parse("shop.example/")).figures().served())
                .isOne();
    }

    @Test
    void mistakes_areToldAllAtOnce_andNothingChanges() throws Exception {
        Path shortToken = Files.writeString(directory.resolve("short"), "short\n");
        ConfigurationReload.Report report = reload(
                "serve",
                "[" + serves("news.example/", news, ", weight: 1001")
                        + ", {prefix: \"b.example/\"}]",
                "pages.push",
                "much",
                "drain-timeout",
                "1h",
                "detekt",
                "1s");
        assertThat(report.problems())
                .hasSize(5)
                .anyMatch(problem -> problem.startsWith("serve[0].weight: 1001 (expected: "))
                .anyMatch(problem -> problem.startsWith("serve[1].server: none (expected: "))
                .anyMatch(problem -> problem.startsWith("pages.push: much (expected: "))
                .anyMatch(problem -> problem.startsWith("drain-timeout: 1h (expected: "))
                .anyMatch(problem -> problem.startsWith("detekt: unknown setting"));
        written.keySet().removeAll(Set.of("pages.push", "drain-timeout", "detekt"));
        // Unusable values are checked only now.
        assertThat(reload(
                                "serve",
                                "[" + serves("news.example/", news) + "]",
                                "control.token-file",
                                shortToken.toString())
                        .problems())
                .singleElement()
                .asString()
                .startsWith("control.token-file: ");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            write("control.token-file", directory.resolve("tokens").toString());
            assertThat(reload(
                                    "services",
                                    "[{protocol: tcp, listen: \"127.0.0.1:" + taken.getLocalPort()
                                            + "\", service: \"db.example:5432\"}]")
                            .problems())
                    .singleElement()
                    .asString()
                    .startsWith("services[0].listen: ");
        }
        assertThat(get(web, "shop.example").body()).isEqualTo("shop");
        assertThat(get(web, "news.example").status()).isEqualTo(404);
        assertThat(web.membership().own().version()).as("nothing was announced").isOne();
        assertThat(ask(web, "GET", "/metrics", TOKEN).body())
                .contains("komainu_organizer_configuration_generation 1.0\n")
                .contains("komainu_organizer_reloads_refused_total 3.0\n");
    }

    @Test
    void endpoint_reportsAppliedSettings_andThoseThatNeedARestart() {
        write("drain-timeout", "20s", "detect", "5s");
        assertThat(ask(web, "POST", "/control/v1/reload", "a-token-nobody-knows")
                        .statusCode())
                .isEqualTo(401);
        assertThat(ask(web, "GET", "/control/v1/reload", TOKEN).statusCode()).isEqualTo(405);
        assertThat(ask(web, "POST", "/control/v1/reload?dryRun=true", TOKEN).body())
                .startsWith("{\"applied\":[\"drain-timeout\"],\"needsRestart\":[\"detect\"],"
                        + "\"reasons\":{\"detect\":\"the group is joined with it\"},\"unchanged\":")
                .endsWith(",\"generation\":1,\"dryRun\":true}\n");
        assertThat(ask(web, "POST", "/control/v1/reload", TOKEN).body())
                .endsWith(",\"generation\":2,\"dryRun\":false}\n");
        assertThat(web.settings().times().drain()).isEqualTo(Duration.ofSeconds(20));
        assertThat(web.settings().membership().detect()).isEqualTo(Duration.ofSeconds(10));
        assertThat(web.reload(true).needsRestart())
                .as("it is reported while the file has the change")
                .containsOnlyKeys("detect");
        write("drain-timeout", "1h");
        HttpResponse<String> refused = ask(web, "POST", "/control/v1/reload", TOKEN);
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.body()).contains("\"problems\":[\"drain-timeout: ");
    }

    @Test
    void tokens_areOthersAfterwards() throws Exception {
        Path others =
                Files.writeString(directory.resolve("others"), "another-another-another config\n");
        assertThat(reload("control.token-file", others.toString()).problems()).isEmpty();
        assertThat(ask(web, "POST", "/control/v1/reload", TOKEN).statusCode()).isEqualTo(401);
        assertThat(ask(web, "POST", "/control/v1/reload", "another-another-another")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void weightThatWasOrdered_isTheFilesAgain_drainingStays() {
        ask(web, "POST", "/control/v1/weight?prefix=shop.example/&weight=9", TOKEN);
        ask(web, "POST", "/control/v1/drain?on=true", TOKEN);
        assertThat(table(web)).contains("\"weight\":9");
        reload();
        assertThat(table(web)).contains("\"weight\":1").contains("\"draining\":true");
    }

    @Test
    void services_newOnesOpen_formerOnesClose_whoIsThereStays() throws Exception {
        int one = freePort();
        int two = freePort();
        String entry = "{protocol: tcp, listen: \"127.0.0.1:%d\", service: \"%s:5432\"}";
        write(
                "serve",
                "[" + serves("a.example:5432/", shop) + "," + serves("b.example:5432/", news)
                        + "]");
        assertThat(reload(
                                "services",
                                "[" + String.format(Locale.ROOT, entry, one, "a.example") + "]")
                        .problems())
                .isEmpty();
        try (RawClient client =
                new RawClient(new InetSocketAddress(InetAddress.getLoopbackAddress(), one))) {
            assertThat(client.get("/").body()).isEqualTo("shop");
            // The first listener stays and gets another target.
            reload(
                    "services",
                    "[" + String.format(Locale.ROOT, entry, two, "a.example") + ","
                            + String.format(Locale.ROOT, entry, one, "b.example") + "]");
            assertThat(client.get("/").body()).as("connected for the other").isEqualTo("shop");
            try (RawClient next = new RawClient(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), one));
                    RawClient elsewhere = new RawClient(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), two))) {
                assertThat(next.get("/").body()).isEqualTo("news");
                assertThat(elsewhere.get("/").body()).isEqualTo("shop");
            }
            reload("services", "[]");
            assertThat(client.get("/").body()).isEqualTo("shop");
        }
        assertThat(web.services().all()).isEmpty();
        until(() -> isClosed(one) && isClosed(two));
    }

    private static boolean isClosed(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return !socket.isConnected();
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void idleTime_isOtherForWhoComesNow_whoWaitsKeepsHis() throws Exception {
        assertThat(reload("front.idle-timeout", "10m").problems()).isEmpty();
        try (RawClient before = new RawClient(web.front().address())) {
            assertThat(before.get("/").status()).isEqualTo(404);
            reload("front.idle-timeout", "1s");
            try (RawClient after = new RawClient(web.front().address())) {
                assertThat(after.get("/").status()).isEqualTo(404);
                assertThat(after.closedByPeer()).isTrue();
            }
            assertThat(before.get("/").status()).isEqualTo(404);
        }
    }

    @Test
    void pages_areLearntOrNot() {
        assertThat(web.front().pageFigures()).isNotNull();
        assertThat(reload("pages.push", "0").applied()).containsExactly("pages.push");
        assertThat(web.front().pageFigures()).isNull();
        reload("pages.push", "64KB");
        assertThat(web.front().pageFigures()).isNotNull();
    }

    @Test
    void leaving_isTooLate() throws Exception {
        web.drain(Duration.ZERO);
        assertThat(reload().problems())
                .containsExactly("reload: too late (expected: before the drain)");
    }
}
