package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.RawClient.Answer;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Purges: by URL, prefix, tags and all; hard and soft; while responses are in transit. */
class PurgeTest {

    private static final String TOKEN = "a-token-of-enough-length";
    private static final String FRESH = "Cache-Control: max-age=600\r\n";

    @TempDir
    Path directory;

    private final HttpClient http = HttpClient.newHttpClient();

    private ProxyFixture proxy(ScriptedOrigin origin, String... more) throws Exception {
        Path file = Files.writeString(directory.resolve("token"), TOKEN + "\n");
        String[] settings = new String[6 + more.length];
        System.arraycopy(
                new String[] {
                    "origin",
                    origin.url(),
                    "control.listen",
                    "127.0.0.1:0",
                    "control.token-file",
                    file.toString()
                },
                0,
                settings,
                0,
                6);
        System.arraycopy(more, 0, settings, 6, more.length);
        return new ProxyFixture(settings);
    }

    private HttpResponse<String> order(ProxyFixture proxy, String body) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                + proxy.proxy.controlAddress().getPort() + "/control/v1/purge"))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .header("Authorization", "Bearer " + TOKEN)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static String member(HttpResponse<String> answer, String name) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body().replaceFirst("(?s).*\"" + name + "\":(\\[[^]]*]|[^,}]*).*", "$1");
    }

    @Test
    void tags_dropWhatCarriesAnyOfThem_andDryRunOnlyCounts() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin()
                        .ok("/a", FRESH + "Surrogate-Key: one  two\r\n", "a")
                        .ok("/b", FRESH + "Cache-Tag: two, three\r\n", "b")
                        .ok("/c", FRESH + "Cache-Tag: three\r\n", "c")
                        .ok("/d", FRESH, "d");
                ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client()) {
            for (String path : new String[] {"/a", "/b", "/c", "/d"}) {
                client.get(path);
            }
            HttpResponse<String> dry = order(proxy, "{\"tags\":[\"two\",\"one\"],\"dryRun\":true}");
            assertThat(member(dry, "matched")).isEqualTo("2");
            assertThat(member(dry, "purged")).isEqualTo("0");
            assertThat(Long.parseLong(member(dry, "bytes"))).isGreaterThan(1024);
            assertThat(member(dry, "samples")).contains("test.example/a", "test.example/b");
            client.get("/a");
            assertThat(origin.count("/a")).isEqualTo(1);
            assertThat(member(order(proxy, "{\"tags\":[\"two\",\"one\"]}"), "purged"))
                    .isEqualTo("2");
            for (String path : new String[] {"/a", "/b", "/c", "/d"}) {
                client.get(path);
            }
            assertThat(origin.count("/a")).isEqualTo(2);
            assertThat(origin.count("/b")).isEqualTo(2);
            assertThat(origin.count("/c")).isEqualTo(1);
            assertThat(origin.count("/d")).isEqualTo(1);
        }
    }

    @Test
    void tags_areKeptFromClients_unlessTheyAreToPass() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin()
                        .ok("/a", FRESH + "Surrogate-Key: one\r\nCache-Tag: x\r\n", "a")
                        .ok("/n", "Cache-Control: no-store\r\nSurrogate-Key: one\r\n", "n");
                ProxyFixture strict = proxy(origin);
                ProxyFixture open = proxy(origin, "cache.strip-tags", "false");
                RawClient client = strict.client();
                RawClient other = open.client()) {
            for (int i = 0; i < 2; i++) {
                Answer answer = client.get("/a");
                assertThat(answer.field("Surrogate-Key")).isEmpty();
                assertThat(answer.field("Cache-Tag")).isEmpty();
                assertThat(other.get("/a").field("Surrogate-Key")).isEqualTo("one");
            }
            assertThat(client.get("/n").field("Surrogate-Key")).isEmpty();
            assertThat(other.get("/n").field("Surrogate-Key")).isEqualTo("one");
        }
    }

    @Test
    void tags_stayWithAResponseThatTheOriginConfirmsWithoutThem() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client()) {
            origin.ok(
                    "/a",
                    "Cache-Control: max-age=10\r\nETag: \"1\"\r\nSurrogate-Key: one\r\n",
                    "a");
            client.get("/a");
            proxy.passSeconds(20);
            origin.respond(
                    "/a",
                    "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nCache-Control: max-age=600\r\n\r\n");
            assertThat(client.get("/a").field("Cache-Status")).contains("fwd-status=304");
            assertThat(member(order(proxy, "{\"tags\":[\"one\"],\"dryRun\":true}"), "matched"))
                    .isEqualTo("1");
        }
    }

    @Test
    void prefix_endsAtTheHostAndSeesTheCaseOfPaths() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client()) {
            for (String host : new String[] {"one.example", "one.example.net"}) {
                for (String path : new String[] {"/a/1", "/a/2?x=/y", "/b", "/A/1"}) {
                    origin.ok(path, FRESH, "x");
                    client.send("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
                    client.read(false);
                }
            }
            assertThat(member(
                            order(
                                    proxy,
                                    "{\"prefix\":\"http://ONE.example:80/a/\",\"dryRun\":true}"),
                            "matched"))
                    .isEqualTo("2");
            assertThat(member(order(proxy, "{\"prefix\":\"one.example\"}"), "purged"))
                    .isEqualTo("4");
            assertThat(member(order(proxy, "{\"all\":true,\"dryRun\":true}"), "matched"))
                    .isEqualTo("4");
            assertThat(member(order(proxy, "{\"all\":true}"), "purged")).isEqualTo("4");
            assertThat(member(order(proxy, "{\"all\":true}"), "matched")).isEqualTo("0");
        }
    }

    @Test
    void url_takesItsVariantsWithIt() throws Exception {
        try (ScriptedOrigin origin =
                        new ScriptedOrigin().ok("/v", FRESH + "Vary: Accept-Language\r\n", "v");
                ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client()) {
            for (String language : new String[] {"en", "ja", "de"}) {
                client.get("/v", "Accept-Language: " + language);
            }
            String url = "\"url\":\"http://test.example/v\"";
            assertThat(member(order(proxy, "{" + url + ",\"dryRun\":true}"), "matched"))
                    .isEqualTo("3");
            assertThat(member(order(proxy, "{" + url + ",\"soft\":true}"), "purged"))
                    .isEqualTo("3");
            client.get("/v", "Accept-Language: ja");
            assertThat(origin.count("/v")).isEqualTo(4);
            assertThat(member(order(proxy, "{" + url + "}"), "purged")).isEqualTo("3");
            assertThat(member(order(proxy, "{\"all\":true,\"dryRun\":true}"), "matched"))
                    .isEqualTo("0");
        }
    }

    @Test
    void soft_revalidatesAtTheOrigin() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client()) {
            origin.ok("/a", FRESH + "ETag: \"1\"\r\nSurrogate-Key: one\r\n", "a");
            client.get("/a");
            assertThat(member(order(proxy, "{\"tags\":[\"one\"],\"soft\":true}"), "purged"))
                    .isEqualTo("1");
            assertThat(member(order(proxy, "{\"tags\":[\"one\"],\"soft\":true}"), "purged"))
                    .isEqualTo("0");
            origin.respond("/a", "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n" + FRESH + "\r\n");
            assertThat(client.get("/a").body()).isEqualTo("a");
            assertThat(origin.requests.getLast().field("If-None-Match")).isEqualTo("\"1\"");
            assertThat(client.get("/a").field("Cache-Status")).contains("hit");
        }
    }

    @Test
    void soft_isServedDuringRevalidation_andForAnUnreachableOrigin() throws Exception {
        ScriptedOrigin origin = new ScriptedOrigin()
                .ok("/s", "Cache-Control: max-age=600, stale-while-revalidate=60\r\n", "old")
                .ok("/g", FRESH, "kept");
        try (ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client()) {
            client.get("/s");
            client.get("/g");
            assertThat(client.request("PURGE", "/s", "Komainu-Soft-Purge: 1").status())
                    .isEqualTo(200);
            assertThat(client.request("PURGE", "/g", "Komainu-Soft-Purge: 1").status())
                    .isEqualTo(200);
            origin.ok("/s", FRESH, "new");
            assertThat(client.get("/s").body()).isEqualTo("old");
            Awaitility.await()
                    .untilAsserted(() -> assertThat(client.get("/s").body()).isEqualTo("new"));
            origin.close();
            assertThat(client.get("/g").body()).isEqualTo("kept");
        } finally {
            origin.close();
        }
    }

    /** An origin that responds only on the test's signal. */
    private static final class Held {
        final CountDownLatch asked = new CountDownLatch(1);
        final CountDownLatch answer = new CountDownLatch(1);

        void on(ScriptedOrigin origin, String path, String fields, String body) {
            origin.on(path, (request, socket, out) -> {
                asked.countDown();
                answer.await();
                out.write(("HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + body.length()
                                + "\r\n\r\n" + body)
                        .getBytes(StandardCharsets.ISO_8859_1));
                out.flush();
                return true;
            });
        }
    }

    private void purgedWhileOnItsWay_isNotStored(String fields, String order) throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client();
                RawClient later = proxy.client()) {
            Held held = new Held();
            held.on(origin, "/a", FRESH + fields, "before");
            client.send("GET /a HTTP/1.1\r\nHost: test.example\r\n\r\n");
            held.asked.await();
            order(proxy, order);
            // A request after the purge does not wait for a fetch that started before it.
            origin.ok("/a", FRESH + fields, "after");
            assertThat(later.get("/a").body()).isEqualTo("after");
            held.answer.countDown();
            assertThat(client.read(false).body()).isEqualTo("before");
            assertThat(later.get("/a").body()).isEqualTo("after");
            assertThat(later.get("/a").field("Cache-Status")).contains("hit");
        }
    }

    @Test
    void onItsWay_purgedByUrl_isNotStored() throws Exception {
        purgedWhileOnItsWay_isNotStored("", "{\"url\":\"http://test.example/a\"}");
    }

    @Test
    void onItsWay_aVariantPurgedByUrl_isNotStored() throws Exception {
        purgedWhileOnItsWay_isNotStored(
                "Vary: Accept-Language\r\n", "{\"url\":\"http://test.example/a\"}");
    }

    @Test
    void onItsWay_purgedByTag_isNotStored() throws Exception {
        purgedWhileOnItsWay_isNotStored("Surrogate-Key: one two\r\n", "{\"tags\":[\"two\"]}");
    }

    @Test
    void onItsWay_purgedByPrefix_isNotStored() throws Exception {
        purgedWhileOnItsWay_isNotStored("", "{\"prefix\":\"test.example\"}");
    }

    @Test
    void onItsWay_ofAnotherTag_isStored() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client()) {
            Held held = new Held();
            held.on(origin, "/a", FRESH + "Surrogate-Key: one\r\n", "a");
            client.send("GET /a HTTP/1.1\r\nHost: test.example\r\n\r\n");
            held.asked.await();
            order(proxy, "{\"tags\":[\"two\"]}");
            order(proxy, "{\"prefix\":\"test.example/b\"}");
            held.answer.countDown();
            client.read(false);
            assertThat(client.get("/a").field("Cache-Status")).contains("hit");
        }
    }

    @Test
    void onItsWay_softlyPurged_isStoredStale() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin();
                ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client()) {
            Held held = new Held();
            held.on(origin, "/a", FRESH + "ETag: \"1\"\r\nSurrogate-Key: one\r\n", "a");
            client.send("GET /a HTTP/1.1\r\nHost: test.example\r\n\r\n");
            held.asked.await();
            order(proxy, "{\"tags\":[\"one\"],\"soft\":true}");
            held.answer.countDown();
            client.read(false);
            origin.respond("/a", "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n" + FRESH + "\r\n");
            assertThat(client.get("/a").field("Cache-Status")).contains("fwd-status=304");
        }
    }

    @Test
    void dataPort_takesTagsAndPrefixes() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin()
                        .ok("/p/a", FRESH + "Surrogate-Key: one\r\n", "a")
                        .ok("/p/b", FRESH, "b");
                ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client()) {
            client.get("/p/a");
            client.get("/p/b");
            assertThat(client.request("PURGE", "/", "Surrogate-Key: one").body())
                    .contains("Purged: 1");
            client.get("/p/a");
            assertThat(origin.count("/p/a")).isEqualTo(2);
            assertThat(client.request("PURGE", "/p/", "Komainu-Purge: prefix").status())
                    .isEqualTo(202);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(member(
                                    order(proxy, "{\"all\":true,\"dryRun\":true}"), "matched"))
                            .isEqualTo("0"));
            assertThat(client.request("PURGE", "/p/", "Komainu-Purge: suffix").status())
                    .isEqualTo(400);
            assertThat(client.request("PURGE", "/p/", "Surrogate-Key: ").status())
                    .isEqualTo(400);
        }
    }

    @Test
    void orders_withInvalidValues_areReportedAndChangeNothing() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin().ok("/a", FRESH, "a");
                ProxyFixture proxy = proxy(origin);
                RawClient client = proxy.client()) {
            client.get("/a");
            for (String bad : new String[] {
                "",
                "[]",
                "{}",
                "{\"all\":false}",
                "{\"all\":true,\"prefix\":\"a\"}",
                "{\"all\":true,\"all\":true}",
                "{\"all\":true} x",
                "{\"url\":\"ftp://a/b\"}",
                "{\"url\":7}",
                "{\"tags\":[]}",
                "{\"tags\":\"a\"}",
                "{\"tags\":[1]}",
                "{\"prefix\":\"\"}",
                "{\"prefix\":\"a b\"}",
                "{\"all\":true,\"dryrun\":true}",
                "{\"all\":true,\"soft\":\"yes\"}"
            }) {
                HttpResponse<String> answer = order(proxy, bad);
                assertThat(answer.statusCode()).as(bad).isEqualTo(400);
                assertThat(answer.body()).as(bad).contains("expected");
            }
            assertThat(member(order(proxy, "{\"all\":true,\"dryRun\":true}"), "matched"))
                    .isEqualTo("1");
        }
    }
}
