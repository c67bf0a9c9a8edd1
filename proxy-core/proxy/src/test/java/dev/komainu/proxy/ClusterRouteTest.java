package dev.komainu.proxy;

import static dev.komainu.proxy.CacheCluster.CACHE;
import static dev.komainu.proxy.CacheCluster.said;
import static dev.komainu.proxy.CacheCluster.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.RawClient.Answer;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A proxy whose upstream is its cluster: another member has the server. */
class ClusterRouteTest {

    private static final String TOKEN = "a-token-of-enough-length";

    @TempDir
    static Path directory;

    private static ScriptedOrigin origin;
    private static CacheCluster cluster;

    @BeforeAll
    static void setUp() throws Exception {
        origin = new ScriptedOrigin();
        cluster = new CacheCluster(directory);
        Path tokens = Files.writeString(directory.resolve("tokens"), TOKEN + " read,config\n");
        String serve = "{prefix: test.example/, server: '127.0.0.1:" + origin.port() + "'}";
        cluster.start("web", serve, "{}", "origin", origin.url());
        cluster.start(
                "edge",
                CACHE,
                "{}",
                "origin",
                "cluster",
                "control.listen",
                "127.0.0.1:0",
                "control.token-file",
                tokens.toString(),
                "log.access",
                directory.resolve("access.log").toString());
        origin.ok("/", "Cache-Control: no-store\r\n", "there");
        until(() -> get("/").status() == 200);
    }

    @AfterAll
    static void tearDown() throws IOException {
        cluster.close();
        origin.close();
    }

    private static Answer get(String path, String... fields) {
        try {
            return cluster.get("edge", path, fields);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void objectOfAnotherMembersServer_isFetchedOverTheLine_storedAndServed() {
        origin.ok("/page", "Cache-Control: max-age=60\r\n", "page");
        assertThat(get("/page").body()).isEqualTo("page");
        Answer hit = get("/page");
        assertThat(said(hit)).startsWith("hit; ttl=");
        assertThat(origin.count("/page")).isEqualTo(1);
        String via = origin.requests.stream()
                .filter(request -> request.path().equals("/page"))
                .findFirst()
                .orElseThrow()
                .head();
        assertThat(via).contains("1.1 komainu-").contains("edge.komainu.organizer");
    }

    @Test
    void accessLog_namesTheMemberThatResponded_noneWithoutAResponse() throws Exception {
        origin.ok("/logged", "Cache-Control: no-store\r\n", "there");
        assertThat(get("/logged").status()).isEqualTo(200);
        try (RawClient client = new RawClient(cluster.address("edge"))) {
            client.send("GET /logged HTTP/1.1\r\nHost: unserved.example\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(404);
        }
        until(() -> lines("http://test.example/logged - CLOSEST_PARENT/web "));
        until(() -> lines("http://unserved.example/logged - HIER_NONE/- "));
    }

    private static boolean lines(String expected) {
        return CacheCluster.lines(directory.resolve("access.log")).stream()
                .anyMatch(line -> line.contains(expected));
    }

    @Test
    void upload_reachesTheServerWhole_andIsNotRepeated() throws Exception {
        String body = "b".repeat(300_000);
        origin.on("/form", (request, socket, out) -> {
            out.write(("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"
                            + request.body().length())
                    .getBytes());
            return true;
        });
        try (RawClient client = new RawClient(cluster.address("edge"))) {
            client.send("POST /form HTTP/1.1\r\nHost: test.example\r\nContent-Length: "
                    + body.length() + "\r\n\r\n" + body);
            assertThat(client.read(false).body()).isEqualTo("300000");
            client.send(
                    "POST /form HTTP/1.1\r\nHost: test.example\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + "493e0\r\n" + body + "\r\n0\r\n\r\n");
            assertThat(client.read(false).body()).isEqualTo("300000");
        }
        assertThat(origin.count("/form")).isEqualTo(2);
    }

    @Test
    void responseOfUnknownLength_arrivesWhole() {
        origin.respond(
                "/chunks",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nCache-Control: no-store\r\n\r\n5\r\nfirst\r\n4\r\nlast\r\n0\r\n\r\n");
        assertThat(get("/chunks").body()).isEqualTo("firstlast");
    }

    @Test
    void withoutAServer_respondsWithAnError() throws Exception {
        try (RawClient client = new RawClient(cluster.address("edge"))) {
            client.send("GET /x HTTP/1.1\r\nHost: unknown.example\r\n\r\n");
            Answer answer = client.read(false);
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.body()).contains("no-route");
        }
    }

    @Test
    void membership_isReportedAndControlledAtTheProxysEndpoint() throws Exception {
        assertThat(control("GET", "members").body())
                .contains("\"member\":\"web\"", "\"member\":\"edge\"");
        assertThat(control("GET", "table").body()).contains("\"prefix\":\"*/\"", "\"cache\":true");
        assertThat(control("GET", "choice?url=test.example/").body())
                .contains("\"member\":\"web\"");
        assertThat(control("GET", "nothing").statusCode()).isEqualTo(404);
        assertThat(control("POST", "weight?prefix=*/&weight=3").statusCode()).isEqualTo(200);
        until(() -> body("table").contains("\"weight\":3"));
        HttpResponse<String> metrics = ask("GET", "/metrics");
        assertThat(metrics.body())
                .contains("komainu_organizer_members 2")
                .contains("komainu_proxy_owner_requests_total{outcome=\"hit\"}");
    }

    private static String body(String page) {
        try {
            return control("GET", page).body();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static HttpResponse<String> control(String method, String page) throws Exception {
        return ask(method, "/control/v1/cluster/" + page);
    }

    private static HttpResponse<String> ask(String method, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                        + cluster.proxy("edge").controlAddress().getPort() + path))
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .header("Authorization", "Bearer " + TOKEN)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
