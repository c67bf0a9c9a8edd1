package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.kit.RangedObject;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Parts of objects: stored, served, combined (RFC 9111 sections 3.3 and 3.4, RFC 9110 section
 * 15.3.7).
 */
class PartialContentTest {

    private final RangedObject object = new RangedObject();
    private final String text = "0123456789abcdefghij".repeat(50);
    private ScriptedOrigin origin;
    private ProxyFixture proxy;
    private RawClient client;

    @BeforeEach
    void setUp() throws IOException {
        origin = new ScriptedOrigin().on("/x", object);
        object.setContent(text, "\"a\"");
        proxy = new ProxyFixture("origin", origin.url());
        client = proxy.client();
    }

    @AfterEach
    void tearDown() throws IOException {
        client.close();
        proxy.close();
        origin.close();
    }

    private RawClient.Answer range(String range, String... more) throws IOException {
        String[] fields = java.util.Arrays.copyOf(more, more.length + 1);
        fields[more.length] = "Range: bytes=" + range;
        return client.get("/x", fields);
    }

    private void assertPart(RawClient.Answer answer, int from, int to) {
        assertThat(answer.status()).isEqualTo(206);
        assertThat(answer.field("Content-Range")).isEqualTo("bytes " + from + "-" + to + "/1000");
        assertThat(answer.body()).isEqualTo(text.substring(from, to + 1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void part_onceFetched_isAHitAndSoIsWhatLiesInIt(boolean chunked) throws IOException {
        object.chunked = chunked;
        RawClient.Answer first = range("100-299");
        assertPart(first, 100, 299);
        assertThat(first.field("Content-Length")).isEqualTo("200");
        assertThat(first.field("Cache-Status")).isEqualTo("komainu; fwd=miss; stored");
        proxy.passSeconds(10);
        RawClient.Answer second = range("100-299");
        assertPart(second, 100, 299);
        assertThat(second.field("Cache-Status")).isEqualTo("komainu; hit; ttl=50");
        assertThat(second.field("Age")).isEqualTo("10");
        assertPart(range("150-160"), 150, 160);
        assertThat(range("110-119,200-209").body())
                .contains(text.substring(110, 120), text.substring(200, 210));
        assertThat(range("1000-").status()).isEqualTo(416);
        assertThat(range("100-110", "If-None-Match: \"a\"").status()).isEqualTo(304);
        assertThat(client.request("HEAD", "/x").field("Content-Length")).isEqualTo("1000");
        assertThat(object.requestedRanges).hasSize(1);
    }

    @Test
    void part_atTheEnd_isCutByAnySpelling() throws IOException {
        assertPart(range("-100"), 900, 999);
        assertPart(range("950-"), 950, 999);
        assertPart(range("-1"), 999, 999);
        assertThat(object.requestedRanges).hasSize(1);
    }

    @Test
    void range_ofWhichSomeIsHeld_fetchesOnlyTheGap() throws IOException {
        range("100-199");
        range("300-399");
        RawClient.Answer joined = range("150-349");
        assertPart(joined, 150, 349);
        assertThat(joined.field("Cache-Status")).isEqualTo("komainu; fwd=partial; stored");
        assertPart(range("100-399"), 100, 399);
        assertThat(object.requestedRanges)
                .containsExactly("bytes=100-199", "bytes=300-399", "bytes=200-299 \"a\"");
    }

    @ParameterizedTest
    @CsvSource({"0-499, bytes=500- \"a\"", "500-999, bytes=0-499 \"a\"", "0-999, ''"})
    void whole_withStoredParts_fetchesTheRestAndIsStoredWhole(String held, String asked)
            throws IOException {
        range(held);
        RawClient.Answer whole = client.get("/x");
        assertThat(whole.status()).isEqualTo(200);
        assertThat(whole.field("Content-Length")).isEqualTo("1000");
        assertThat(whole.head()).doesNotContain("Content-Range");
        assertThat(whole.body()).isEqualTo(text);
        RawClient.Answer again = client.get("/x");
        assertThat(again.field("Cache-Status")).startsWith("komainu; hit");
        assertThat(again.body()).isEqualTo(text);
        if (asked.isEmpty()) {
            assertThat(object.requestedRanges).hasSize(1);
        } else {
            assertThat(object.requestedRanges).containsExactly("bytes=" + held, asked);
        }
    }

    @Test
    void parts_thatMakeUpTheWhole_areTheWhole() throws IOException {
        range("600-999");
        range("0-299");
        range("300-599");
        assertThat(client.get("/x").body()).isEqualTo(text);
        assertThat(object.requestedRanges).hasSize(3);
    }

    @Test
    void whole_afterTheObjectChanged_isTheNewOne() throws IOException {
        range("0-499");
        object.setContent("new".repeat(100), "\"b\"");
        RawClient.Answer whole = client.get("/x");
        assertThat(whole.status()).isEqualTo(200);
        assertThat(whole.body()).isEqualTo("new".repeat(100));
        assertThat(object.requestedRanges).containsExactly("bytes=0-499", "bytes=500- \"a\"");
        assertThat(client.get("/x").field("Cache-Status")).startsWith("komainu; hit");
    }

    @Test
    void range_afterTheObjectChanged_isCutFromTheNewOne() throws IOException {
        range("0-499");
        String changed = "zyxwvutsrq".repeat(100);
        object.setContent(changed, "\"b\"");
        RawClient.Answer part = range("400-599");
        assertThat(part.field("ETag")).isEqualTo("\"b\"");
        assertThat(part.body()).isEqualTo(changed.substring(400, 600));
        assertThat(range("0-9").body()).isEqualTo(changed.substring(0, 10));
        assertThat(object.requestedRanges).containsExactly("bytes=0-499", "bytes=500-599 \"a\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"W/\"a\"", ""})
    void parts_withoutAStrongValidator_areServedButNeverJoined(String etag) throws IOException {
        object.setContent(text, etag);
        assertPart(range("0-499"), 0, 499);
        assertPart(range("10-19"), 10, 19);
        assertPart(range("500-999"), 500, 999);
        assertThat(client.get("/x").body()).isEqualTo(text);
        assertThat(object.requestedRanges).containsExactly("bytes=0-499", "bytes=500-999", "");
    }

    @Test
    void part_onceStale_isRequestedAgainAndFreshensTheOthers() throws IOException {
        range("0-99");
        range("500-599");
        proxy.passSeconds(61);
        assertPart(range("0-99"), 0, 99);
        assertPart(range("500-599"), 500, 599);
        assertThat(object.requestedRanges)
                .containsExactly("bytes=0-99", "bytes=500-599", "bytes=0-99");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Content-Range: bytes 100-199/1000 | 50",
                "Content-Range: bytes 100-198/1000 | 100",
                "Content-Range: bytes 101-200/1000 | 100",
                "Content-Range: bytes 100-199/* | 100",
                "Content-Range: bytes 100-199/150 | 100",
                "Content-Range: bytes 100-199/1000\\r\\nContent-Range: bytes 100-199/1000 | 100",
                "Content-Type: multipart/byteranges; boundary=x | 100",
                "Cache-Control: no-store\\r\\nContent-Range: bytes 100-199/1000 | 100"
            })
    void part_thatDoesNotFit_isPassedOnAndNotStored(String fields, int length) throws IOException {
        origin.respond(
                "/odd",
                "HTTP/1.1 206 P\r\nETag: \"a\"\r\nCache-Control: max-age=60\r\n"
                        + fields.replace("\\r\\n", "\r\n") + "\r\nContent-Length: " + length
                        + "\r\n\r\n" + "x".repeat(length));
        for (int i = 0; i < 2; i++) {
            RawClient.Answer answer = client.get("/odd", "Range: bytes=100-199");
            assertThat(answer.status()).isEqualTo(206);
            assertThat(answer.body()).hasSize(length);
        }
        assertThat(origin.count("/odd")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void part_thatBreaksOff_isNotStored(boolean chunked) throws IOException {
        object.chunked = chunked;
        object.breaksAfter = 50;
        assertThatThrownBy(() -> range("0-99")).isInstanceOf(IOException.class);
        object.breaksAfter = -1;
        try (RawClient other = proxy.client()) {
            assertThat(other.get("/x", "Range: bytes=0-49").field("Cache-Status"))
                    .isEqualTo("komainu; fwd=miss; stored");
        }
        assertThat(object.requestedRanges).hasSize(2);
    }

    @Test
    void rangeUnknownToTheOrigin_storesTheWholeAndCutsTheRange() throws IOException {
        object.ranges = false;
        assertPart(range("100-199"), 100, 199);
        assertThat(client.get("/x").body()).isEqualTo(text);
        assertThat(object.requestedRanges).hasSize(1);
    }

    @Test
    void gap_whenTheOriginIgnoresRanges_isTheWhole() throws IOException {
        range("0-499");
        object.ranges = false;
        assertThat(client.get("/x").body()).isEqualTo(text);
        assertThat(object.requestedRanges).hasSize(2);
    }

    @Test
    void change_dropsTheParts() throws IOException {
        range("0-99");
        origin.on("/x", (request, socket, out) -> {
            if (request.head().startsWith("POST")) {
                out.write("HTTP/1.1 204 Done\r\n\r\n".getBytes());
                return true;
            }
            return object.answer(request, socket, out);
        });
        client.send("POST /x HTTP/1.1\r\nHost: test.example\r\nContent-Length: 0\r\n\r\n");
        assertThat(client.read(false).status()).isEqualTo(204);
        range("0-99");
        assertThat(object.requestedRanges).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"\"a\", 1000, 1", "\"b\", 1000, 2", "\"a\", 900, 2"})
    void head_thatShowsAnotherObject_dropsTheParts(String etag, int length, int asked)
            throws IOException {
        range("0-99");
        proxy.passSeconds(61);
        origin.respond(
                "/x",
                "HTTP/1.1 200 OK\r\nETag: " + etag + "\r\nContent-Length: " + length + "\r\n\r\n");
        client.request("HEAD", "/x");
        origin.on("/x", object);
        range("0-99", "Cache-Control: max-stale");
        assertThat(object.requestedRanges).hasSize(asked);
    }

    @Test
    void parts_ofVariants_areKeptApart() throws IOException {
        object.fields = "Cache-Control: max-age=60\r\nVary: Accept-Language\r\n";
        range("0-99", "Accept-Language: en");
        object.setContent(text.toUpperCase(java.util.Locale.ROOT), "\"de\"");
        assertThat(range("10-19", "Accept-Language: de").body()).isEqualTo("ABCDEFGHIJ");
        assertThat(range("10-19", "Accept-Language: en").body()).isEqualTo("abcdefghij");
        assertThat(object.requestedRanges).hasSize(2);
    }

    @Test
    void part_underAClientsOwnIfRange_isNotStored() throws IOException {
        // The origin may leave out fields that this client has already (RFC 9110 section 15.3.7).
        assertPart(range("0-99", "If-Range: \"a\""), 0, 99);
        assertPart(range("0-99"), 0, 99);
        assertPart(range("0-99", "If-Range: \"a\""), 0, 99);
        assertThat(object.requestedRanges).containsExactly("bytes=0-99 \"a\"", "bytes=0-99");
    }

    @Test
    void onlyIfCached_isServedFromPartsOrNotAtAll() throws IOException {
        range("0-99");
        assertPart(range("5-6", "Cache-Control: only-if-cached"), 5, 6);
        assertThat(range("5-600", "Cache-Control: only-if-cached").status()).isEqualTo(504);
        assertThat(client.get("/x", "Cache-Control: only-if-cached").status()).isEqualTo(504);
    }
}
