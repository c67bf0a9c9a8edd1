package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The pages of the cache's contents: level by level, and single objects. */
class ContentsTest {

    private static final String OPERATOR = "operator-operator-operator";
    private static final String VIEWER = "viewer-viewer-viewer";
    private static final String FRESH = "Cache-Control: max-age=600\r\n";

    @TempDir
    private Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private final JsonMapper json = new JsonMapper();

    private HttpResponse<String> ask(ProxyFixture proxy, String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                + proxy.proxy.controlAddress().getPort() + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode look(ProxyFixture proxy, String query) throws Exception {
        HttpResponse<String> answer = ask(proxy, "/control/v1/contents" + query);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return json.readTree(answer.body());
    }

    /** A proxy whose token {@code operator} may purge and whose token {@code viewer} may read. */
    private ProxyFixture guarded(ScriptedOrigin origin) throws IOException {
        Path tokens = directory.resolve("tokens");
        Files.writeString(tokens, OPERATOR + " read,purge\n" + VIEWER + " read\n");
        return new ProxyFixture(
                "origin",
                origin.url(),
                "control.listen",
                "127.0.0.1:0",
                "control.token-file",
                tokens.toString());
    }

    private String askAs(ProxyFixture proxy, String token, String method, String path, String body)
            throws Exception {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                + proxy.proxy.controlAddress().getPort() + path))
                        .header("Authorization", "Bearer " + token)
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void viewer_looksForSecretsInCachedUrls_seesNoQuery() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = guarded(origin);
                RawClient client = proxy.client()) {
            origin.ok("/moved", FRESH + "Content-Location: /moved?reset=hidden-in-field\r\n", "x");
            store(origin, client, "a.example", "/find?token=hidden-1", "/find?token=hidden-2");
            client.send("GET /moved HTTP/1.1\r\nHost: a.example\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(200);
            String level = "/control/v1/contents?prefix=a.example/&sort=name";
            String inQuery = "/control/v1/contents?prefix=a.example/find%3Ftoken%3Dhidden";
            String object = "/control/v1/contents/object?url=http://a.example/moved";
            String dryRun = "{\"prefix\":\"http://a.example/\",\"dryRun\":true}";

            String seen = ask(proxy, level).body()
                    + ask(proxy, inQuery).body()
                    + ask(proxy, object).body()
                    + askAs(proxy, VIEWER, "GET", level, "")
                    + askAs(proxy, VIEWER, "GET", object, "")
                    + askAs(proxy, VIEWER, "POST", "/control/v1/purge", dryRun)
                    + askAs(proxy, OPERATOR, "GET", level + "&hideQueries=true", "")
                    + askAs(proxy, OPERATOR, "GET", object + "&hideQueries=true", "");
            assertThat(seen).doesNotContain("hidden").contains("a.example/find");
            JsonNode find = json.readTree(askAs(proxy, VIEWER, "GET", level, ""))
                    .get("children")
                    .get(0);
            assertThat(find.get("name").asString()).isEqualTo("find");
            assertThat(find.get("objects").asInt()).isEqualTo(2);
            assertThat(find.get("object").asBoolean()).isFalse();

            assertThat(askAs(proxy, OPERATOR, "GET", level, ""))
                    .contains("find?token=hidden-1", "find?token=hidden-2");
            assertThat(askAs(proxy, OPERATOR, "GET", object, "")).contains("hidden-in-field");
            assertThat(askAs(proxy, OPERATOR, "POST", "/control/v1/purge", dryRun))
                    .contains("hidden-1", "hidden-2");
        }
    }

    private static List<String> names(JsonNode level) {
        List<String> names = new ArrayList<>();
        level.get("children").forEach(child -> names.add(child.get("name").asString()));
        return names;
    }

    private static ProxyFixture proxy(ScriptedOrigin origin) throws IOException {
        return new ProxyFixture("origin", origin.url(), "control.listen", "127.0.0.1:0");
    }

    private static void store(ScriptedOrigin origin, RawClient client, String host, String... paths)
            throws IOException {
        for (String path : paths) {
            origin.ok(path, FRESH, "x");
            client.send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
            assertThat(client.read(false).status()).isEqualTo(200);
        }
    }

    @Test
    void levels_areHostsThenSegments_withTheirSums() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client()) {
            store(
                    origin,
                    client,
                    "a.example",
                    "/",
                    "/img/1",
                    "/img/2",
                    "/img/deep/3",
                    "/find?x=/y/z",
                    "/find");
            store(origin, client, "b.example:8080", "/img/1");
            client.send("GET /img/1 HTTP/1.1\r\nHost: a.example\r\n\r\n");
            client.read(false);
            proxy.passSeconds(5);

            JsonNode hosts = look(proxy, "");
            assertThat(names(hosts)).containsExactly("a.example/", "b.example:8080/");
            assertThat(hosts.get("objects").asInt()).isEqualTo(7);
            assertThat(hosts.get("next").isNull()).isTrue();

            JsonNode root = look(proxy, "?prefix=http://A.example:80/&sort=name");
            assertThat(names(root)).containsExactly("", "find", "img/");
            JsonNode images = root.get("children").get(2);
            assertThat(images.get("objects").asInt()).isEqualTo(3);
            assertThat(images.get("hits").asInt()).isEqualTo(1);
            assertThat(images.get("object").asBoolean()).isFalse();
            assertThat(images.get("prefix").asString()).isEqualTo("a.example/img/");
            assertThat(images.get("newestSeconds").asInt()).isBetween(5, 100);
            assertThat(root.get("children").get(1).get("object").asBoolean()).isTrue();
            assertThat(root.get("children").get(1).get("objects").asInt()).isEqualTo(2);
            assertThat(names(look(proxy, "?prefix=a.example/img/&sort=name")))
                    .containsExactly("1", "2", "deep/");
            assertThat(names(look(proxy, "?prefix=a.example/im"))).containsExactly("img/");
            assertThat(names(look(proxy, "?prefix=nobody/"))).isEmpty();
        }
    }

    @Test
    void pages_followEachOther_andSortsOrder() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client()) {
            store(origin, client, "a.example", "/1", "/2", "/3", "/4", "/5");
            for (String hit : new String[] {"/4", "/4", "/2"}) {
                client.send("GET " + hit + " HTTP/1.1\r\nHost: a.example\r\n\r\n");
                client.read(false);
            }
            assertThat(names(look(proxy, "?prefix=a.example/&sort=hits"))).startsWith("4", "2");
            List<String> all = new ArrayList<>();
            String cursor = "";
            do {
                JsonNode page =
                        look(proxy, "?prefix=a.example/&sort=name&limit=2&cursor=" + cursor);
                all.addAll(names(page));
                cursor = page.get("next").isNull() ? null : page.get("next").asString();
            } while (cursor != null);
            assertThat(all).containsExactly("1", "2", "3", "4", "5");
            for (String bad : new String[] {
                "?limit=0",
                "?limit=1001",
                "?sort=age",
                "?cursor=%25",
                "?cursor=AAAA",
                "?prefix=a%20b",
                "?x=1",
                "?limit=1&limit=2"
            }) {
                HttpResponse<String> answer = ask(proxy, "/control/v1/contents" + bad);
                assertThat(answer.statusCode()).as(bad).isEqualTo(400);
                assertThat(answer.body()).contains("expected");
            }
        }
    }

    @Test
    void object_listsEachVariant_butNoCookie() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin()
                        .ok(
                                "/v",
                                FRESH
                                        + "Vary: Accept-Language, X-Kind\r\nETag: \"1\"\r\nSurrogate-Key: one two\r\n"
                                        + "Cache-Groups: \"g\"\r\nSet-Cookie: id=secret\r\n",
                                "v");
                ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client()) {
            client.get("/v", "Accept-Language: ja");
            client.get("/v", "Accept-Language: en", "X-Kind: k");
            client.get("/v", "Accept-Language: en", "X-Kind: k");
            proxy.passSeconds(10);
            String url = URLEncoder.encode("http://test.example/v", StandardCharsets.UTF_8);
            HttpResponse<String> answer = ask(proxy, "/control/v1/contents/object?url=" + url);
            assertThat(answer.body()).doesNotContain("secret");
            JsonNode object = json.readTree(answer.body());
            assertThat(object.get("vary").toString()).isEqualTo("[\"accept-language\",\"x-kind\"]");
            assertThat(object.get("variants").size()).isEqualTo(2);
            JsonNode english = object.get("variants").get(0);
            if (english.get("selectedBy").get("x-kind").isNull()) {
                english = object.get("variants").get(1);
            }
            assertThat(english.get("selectedBy").toString())
                    .isEqualTo("{\"accept-language\":\"en\",\"x-kind\":\"k\"}");
            assertThat(english.get("hits").asInt()).isEqualTo(1);
            assertThat(english.get("ageSeconds").asInt()).isBetween(10, 100);
            assertThat(english.get("freshSeconds").asInt()).isBetween(490, 590);
            assertThat(english.get("state").asString()).isEqualTo("fresh");
            assertThat(english.get("etag").asString()).isEqualTo("\"1\"");
            assertThat(english.get("tags").toString()).isEqualTo("[\"one\",\"two\"]");
            assertThat(english.get("groups").toString()).isEqualTo("[\"g\"]");
            assertThat(english.get("bodyBytes").asInt()).isEqualTo(1);
            assertThat(ask(proxy, "/control/v1/contents/object?url=http://test.example/none")
                            .statusCode())
                    .isEqualTo(404);
        }
    }
}
