package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses in a shared cache with more directives than their lifetime. */
class SharedCacheTest {

    private ScriptedOrigin origin;
    private ProxyFixture proxy;
    private RawClient client;
    private final AtomicReference<String> answer = new AtomicReference<>("");

    @BeforeEach
    void setUp() throws IOException {
        origin = new ScriptedOrigin();
        origin.on("/x", (request, socket, out) -> {
            if (answer.get().isEmpty()) {
                return false;
            }
            out.write(answer.get().getBytes(StandardCharsets.ISO_8859_1));
            return true;
        });
        proxy = new ProxyFixture("origin", origin.url());
        client = proxy.client();
    }

    @AfterEach
    void tearDown() throws IOException {
        client.close();
        proxy.close();
        origin.close();
    }

    private static String ok(String fields, String body) {
        return "HTTP/1.1 200 OK\r\n" + fields + "\r\nContent-Length: " + body.length() + "\r\n\r\n"
                + body;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | CDN-Cache-Control: max-age=60 | Cache-Control: no-store",
                "1 | CDN-Cache-Control: max-age=60, foo=(a b);c | Cache-Control: max-age=0",
                "1 | Komainu-Cache-Control: max-age=60 | CDN-Cache-Control: no-store",
                "1 | CDN-Cache-Control: max-age=60 | Expires: 0",
                "2 | CDN-Cache-Control: no-store | Cache-Control: max-age=60",
                "2 | CDN-Cache-Control: private | Cache-Control: max-age=60",
                "2 | CDN-Cache-Control: max-age=60, &&& | Cache-Control: no-store",
                "2 | CDN-Cache-Control: max-age=\"60\" | Cache-Control: no-store",
                "1 | CDN-Cache-Control: no-store=?0, max-age=60 | Cache-Control: no-store",
                "1 | CDN-Cache-Control: MaX-aGe=0 | Cache-Control: max-age=60"
            })
    void get_withTargetedControl_obeysTheFirstValidField(int fetches, String targeted, String other)
            throws IOException {
        answer.set(ok(targeted + "\r\n" + other, "t"));
        client.get("/x");
        client.get("/x");
        assertThat(origin.count("/x")).isEqualTo(fetches);
    }

    @Test
    void get_staleWhileRevalidate_isServedAtOnceAndRefreshedBehindIt() throws IOException {
        answer.set(ok("Cache-Control: max-age=10, stale-while-revalidate=30", "old"));
        client.get("/x");
        answer.set(ok("Cache-Control: max-age=100", "new"));
        proxy.passSeconds(20);
        RawClient.Answer stale = client.get("/x");
        assertThat(stale.body()).isEqualTo("old");
        assertThat(stale.field("Cache-Status")).isEqualTo("komainu; hit; ttl=-10");
        Awaitility.await().until(() -> client.get("/x").body().equals("new"));
        assertThat(origin.count("/x")).isEqualTo(2);
    }

    @Test
    void get_staleWhileRevalidateOver_waitsForTheOrigin() throws IOException {
        answer.set(ok("Cache-Control: max-age=10, stale-while-revalidate=30", "old"));
        client.get("/x");
        answer.set(ok("Cache-Control: max-age=100", "new"));
        proxy.passSeconds(41);
        assertThat(client.get("/x").body()).isEqualTo("new");
    }

    @Test
    void get_staleWhileRevalidateOfWhatIsNotStorableAnyMore_dropsIt() throws IOException {
        answer.set(ok("Cache-Control: max-age=10, stale-while-revalidate=1000", "old"));
        client.get("/x");
        answer.set(ok("Cache-Control: no-store", "new"));
        proxy.passSeconds(20);
        assertThat(client.get("/x").body()).isEqualTo("old");
        Awaitility.await().until(() -> client.get("/x").body().equals("new"));
    }

    @Test
    void get_originOutOfReach_isAnsweredStaleWithinTheGrace() throws IOException {
        answer.set(ok("Cache-Control: max-age=10", "kept"));
        client.get("/x");
        answer.set("");
        proxy.passSeconds(20);
        RawClient.Answer stale = client.get("/x");
        assertThat(stale.body()).isEqualTo("kept");
        assertThat(stale.field("Age")).isEqualTo("20");
        assertThat(stale.field("Cache-Status")).isEqualTo("komainu; fwd=stale; detail=unreachable");
        assertThat(client.get("/x", "Cache-Control: no-cache").status()).isEqualTo(502);
        proxy.passSeconds(600);
        assertThat(client.get("/x").status()).isEqualTo(502);
    }

    @ParameterizedTest
    @ValueSource(strings = {"must-revalidate", "proxy-revalidate", "s-maxage=10", "no-cache"})
    void get_originOutOfReach_neverServesStaleAgainstItsWord(String directive) throws IOException {
        answer.set(ok(
                "ETag: \"e\"\r\nCache-Control: max-age=10, stale-if-error=600, " + directive,
                "kept"));
        client.get("/x");
        answer.set("");
        proxy.passSeconds(20);
        assertThat(client.get("/x").status()).isEqualTo(502);
    }

    @Test
    void get_errorOfTheOrigin_isReplacedOnlyByStaleIfError() throws IOException {
        answer.set(ok("Cache-Control: max-age=10, stale-if-error=60", "kept"));
        client.get("/x");
        answer.set("HTTP/1.1 503 Down\r\nContent-Length: 4\r\n\r\ndown");
        proxy.passSeconds(20);
        RawClient.Answer stale = client.get("/x");
        assertThat(stale.body()).isEqualTo("kept");
        assertThat(stale.field("Cache-Status"))
                .isEqualTo("komainu; fwd=stale; fwd-status=503; detail=stale-if-error");
        proxy.passSeconds(60);
        assertThat(client.get("/x").status()).isEqualTo(503);
        assertThat(client.get("/x", "Cache-Control: stale-if-error=600").body()).isEqualTo("kept");
    }

    @Test
    void interimAnswers_arePassedOnAndNotStored() throws IOException {
        answer.set(
                "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nConnection: close\r\n\r\n"
                        + ok("Cache-Control: max-age=60", "final"));
        RawClient.Answer hints =
                client.send("GET /x HTTP/1.1\r\nHost: test.example\r\n\r\n").read(false);
        assertThat(hints.status()).isEqualTo(103);
        assertThat(hints.field("Link")).isEqualTo("</a.css>; rel=preload");
        assertThat(hints.head()).doesNotContain("Connection");
        assertThat(client.read(false).body()).isEqualTo("final");
        RawClient.Answer second = client.get("/x");
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.field("Link")).isEmpty();
    }

    @Test
    void interimAnswers_neverReachAnHttp10Client() throws IOException {
        answer.set("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + ok("Cache-Control: no-store", "final"));
        client.send("GET /x HTTP/1.0\r\nHost: test.example\r\n\r\n");
        assertThat(client.read(false).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | 404 Not Found | X: y",
                "1 | 410 Gone | X: y",
                "1 | 501 Not Implemented | X: y",
                "2 | 404 Not Found | Cache-Control: no-store",
                "2 | 404 Not Found | Cache-Control: max-age=0",
                "2 | 404 Not Found | Set-Cookie: a=b",
                "2 | 403 Forbidden | X: y",
                "2 | 500 Broken | X: y",
                "2 | 302 Found | Location: /y",
                "2 | 200 OK | X: y"
            })
    void negativeTtl_isForErrorsOfWhichTheOriginSaysNothing(
            int fetches, String status, String field) throws IOException {
        answer.set("HTTP/1.1 " + status + "\r\n" + field + "\r\nContent-Length: 1\r\n\r\nn");
        try (ProxyFixture patient =
                        new ProxyFixture("origin", origin.url(), "cache.negative-ttl", "30s");
                RawClient asking = patient.client()) {
            asking.get("/x");
            assertThat(asking.get("/x").body()).isEqualTo("n");
            assertThat(origin.count("/x")).isEqualTo(fetches);
            patient.passSeconds(31);
            asking.get("/x");
            assertThat(origin.count("/x")).isEqualTo(fetches + 1);
        }
        client.get("/x");
        client.get("/x");
        assertThat(origin.count("/x")).as("off unless set").isEqualTo(fetches + 3);
    }

    @Test
    void cookie_isStoredOnlyWhereTheOriginSaysHowLong() throws IOException {
        answer.set(ok("Cache-Control: max-age=60\r\nSet-Cookie: a=b", "c"));
        client.get("/x");
        RawClient.Answer hit = client.get("/x");
        assertThat(hit.field("Cache-Status")).contains("hit");
        assertThat(hit.field("Set-Cookie")).isEqualTo("a=b");
        client.request("PURGE", "/x");
        answer.set(ok("Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\nSet-Cookie: a=b", "c"));
        client.get("/x");
        assertThat(client.get("/x").field("Cache-Status")).isEqualTo("komainu; fwd=miss");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | Accept-Language: en, de        | Accept-Language:  DE ,en",
                "1 | Accept-Language: en;q=1, de    | Accept-Language: de;q=1.000, en",
                "1 | Accept-Encoding: gzip, br;q=0.50 | Accept-Encoding: br;q=0.5,GZIP",
                "2 | Accept-Language: en;q=0.1, de  | Accept-Language: en, de;q=0.1",
                "2 | Accept-Encoding: gzip;q=0      | Accept-Encoding: gzip",
                "2 | X-Free: a, b                   | X-Free: b, a",
                "1 | X-Free: a,b                    | X-Free: a , b"
            })
    void vary_isNormalisedAsFarAsTheFieldsGrammarAllows(int fetches, String first, String second)
            throws IOException {
        answer.set(ok(
                "Cache-Control: max-age=60\r\nVary: Accept-Language, Accept-Encoding, X-Free",
                "v"));
        client.get("/x", first.strip());
        client.get("/x", second.strip());
        assertThat(origin.count("/x")).isEqualTo(fetches);
    }

    @Test
    void ifModifiedSince_withoutLastModified_isComparedWithDate() throws IOException {
        answer.set(ok(
                "Komainu-Cache-Control: max-age=1000000000\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT",
                "d"));
        client.get("/x");
        assertThat(client.get("/x", "If-Modified-Since: Mon, 01 Jan 2024 00:00:00 GMT")
                        .status())
                .isEqualTo(304);
        assertThat(client.get("/x", "If-Modified-Since: Sun, 31 Dec 2023 00:00:00 GMT")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void ranges_several_areSentAsPartsThatFit() throws IOException {
        String body = "0123456789".repeat(50);
        answer.set(ok("Cache-Control: max-age=60\r\nContent-Type: text/plain", body));
        client.get("/x");
        RawClient.Answer parts = client.get("/x", "Range: bytes=300-304,0-1,-2,900-");
        assertThat(parts.status()).isEqualTo(206);
        String boundary =
                parts.field("Content-Type").replace("multipart/byteranges; boundary=", "");
        assertThat(parts.head().split("(?i)content-type:")).hasSize(2);
        assertThat(parts.body())
                .isEqualTo("\r\n--" + boundary
                        + "\r\nContent-Type: text/plain\r\nContent-Range: bytes 300-304/500\r\n\r\n01234"
                        + "\r\n--" + boundary
                        + "\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/500\r\n\r\n01"
                        + "\r\n--" + boundary
                        + "\r\nContent-Type: text/plain\r\nContent-Range: bytes 498-499/500\r\n\r\n89"
                        + "\r\n--" + boundary + "--\r\n");
        assertThat(client.get("/x").body()).isEqualTo(body);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "206 | bytes=0-4,3-9              | bytes 0-9/500",
                "206 | bytes=90-99,0-9            | ''",
                "206 | bytes=20-29,0-9            | bytes 0-29/500",
                "416 | bytes=600-,700-            | bytes */500",
                "200 | bytes=0-1,x                | ''",
                "200 | lines=0-1                  | ''",
                "200 | bytes=0-1,200-201,400-401,0-1,0-1,0-1,0-1,0-1,0-1,0-1,0-1 | ''"
            })
    void ranges_areCoalescedOrIgnored(int status, String range, String contentRange)
            throws IOException {
        answer.set(ok("Cache-Control: max-age=60", "0123456789".repeat(50)));
        client.get("/x");
        RawClient.Answer part = client.get("/x", "Range: " + range.strip());
        assertThat(part.status()).isEqualTo(status);
        assertThat(part.field("Content-Range")).isEqualTo(contentRange);
    }

    @Test
    void range_ofSomethingStale_isCutFromWhatTheOriginConfirms() throws IOException {
        answer.set(ok("ETag: \"e\"\r\nCache-Control: max-age=10", "0123456789"));
        client.get("/x");
        answer.set("HTTP/1.1 304 Not Modified\r\nETag: \"e\"\r\n\r\n");
        proxy.passSeconds(20);
        RawClient.Answer part = client.get("/x", "Range: bytes=2-4");
        assertThat(part.status()).isEqualTo(206);
        assertThat(part.body()).isEqualTo("234");
        assertThat(part.field("Content-Length")).isEqualTo("3");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "206 | 2024 | 01 Jan 2024",
                "200 | 2024 | 02 Jan 2024",
                "200 | 2025 | 01 Jan 2024",
            })
    void ifRange_byDate_needsAStrongOne(int status, int modified, String condition)
            throws IOException {
        String date = "Mon, 01 Jan " + modified + " 00:00:00 GMT";
        answer.set(ok(
                "Date: Wed, 01 Jan 2025 00:00:00 GMT\r\nCache-Control: max-age=1000000000\r\nLast-Modified: "
                        + date,
                "0123456789"));
        client.get("/x");
        String asked = modified == 2025 ? date : "Mon, " + condition + " 00:00:00 GMT";
        assertThat(client.get("/x", "Range: bytes=0-1", "If-Range: " + asked).status())
                .isEqualTo(status);
    }

    @Test
    void head_thatShowsTheSameObject_freshensIt() throws IOException {
        answer.set(ok("ETag: \"e\"\r\nCache-Control: max-age=10\r\nX-Old: kept", "body"));
        client.get("/x");
        proxy.passSeconds(20);
        answer.set(
                "HTTP/1.1 200 OK\r\nETag: \"e\"\r\nCache-Control: max-age=100\r\nContent-Length: 4\r\n\r\n");
        client.request("HEAD", "/x");
        RawClient.Answer hit = client.get("/x");
        assertThat(hit.field("Cache-Status")).contains("hit");
        assertThat(hit.field("X-Old")).isEqualTo("kept");
        assertThat(hit.body()).isEqualTo("body");
    }

    @Test
    void head_thatShowsAnotherObject_dropsIt() throws IOException {
        answer.set(ok("ETag: \"e\"\r\nCache-Control: max-age=10, stale-if-error=600", "body"));
        client.get("/x");
        proxy.passSeconds(20);
        answer.set("HTTP/1.1 200 OK\r\nETag: \"f\"\r\nContent-Length: 9\r\n\r\n");
        client.request("HEAD", "/x");
        answer.set("");
        assertThat(client.get("/x").status()).isEqualTo(502);
    }

    @ParameterizedTest
    @ValueSource(strings = {"no-cache=\"X-Mine\"", "private=\"x-mine, X-Other\"", "private=X-Mine"})
    void fieldsForOneClient_reachThatClientAndAreNotStored(String directive) throws IOException {
        answer.set(ok(
                "Cache-Control: max-age=60, " + directive + "\r\nX-Mine: secret\r\nX-All: all",
                "b"));
        RawClient.Answer first = client.get("/x");
        assertThat(first.field("X-Mine")).isEqualTo("secret");
        RawClient.Answer second = client.get("/x");
        assertThat(second.field("Cache-Status")).contains("hit");
        assertThat(second.field("X-Mine")).isEmpty();
        assertThat(second.field("X-All")).isEqualTo("all");
        assertThat(second.body()).isEqualTo("b");
    }

    @Test
    void fieldsForOne_areNotStoredFromAConfirmation() throws IOException {
        answer.set(ok("ETag: \"e\"\r\nCache-Control: max-age=10, private=\"X-Mine\"", "b"));
        client.get("/x");
        proxy.passSeconds(20);
        answer.set(
                "HTTP/1.1 304 Not Modified\r\nETag: \"e\"\r\nX-Mine: secret\r\nX-All: all\r\n\r\n");
        client.get("/x");
        RawClient.Answer hit = client.get("/x");
        assertThat(hit.field("X-All")).isEqualTo("all");
        assertThat(hit.field("X-Mine")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2 | \"a\", \"b\" | POST | 200 | \"b\"",
                "1 | \"a\", \"b\" | POST | 200 | \"c\"",
                "1 | \"a\"        | POST | 404 | \"a\"",
                "1 | \"a\"        | GET  | 200 | \"a\"",
                "1 | \"a\"        | POST | 200 | a"
            })
    void cacheGroups_aChangeDropsWhatBelongsToThem(
            int fetches, String groups, String method, int status, String invalidated)
            throws IOException {
        answer.set(ok("Cache-Control: max-age=60\r\nCache-Groups: " + groups, "g"));
        client.get("/x");
        origin.respond(
                "/change",
                "HTTP/1.1 " + status + " X\r\nCache-Group-Invalidation: " + invalidated
                        + "\r\nContent-Length: 0\r\n\r\n");
        client.request(method.strip(), "/change", "Content-Length: 0");
        client.get("/x");
        assertThat(origin.count("/x")).isEqualTo(fetches);
    }
}
