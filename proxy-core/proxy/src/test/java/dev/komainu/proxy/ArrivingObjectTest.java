package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests for a part of an object, or with conditions, while it arrives for another client. */
class ArrivingObjectTest {

    private static final int HERE = 100_000;
    private static final int LENGTH = 3_000_000;

    private final StringBuilder text = new StringBuilder();
    private final CountDownLatch rest = new CountDownLatch(1);
    private ScriptedOrigin origin;
    private ProxyFixture proxy;
    private RawClient first;
    private RawClient second;

    @BeforeEach
    void setUp() throws IOException {
        for (int i = 0; text.length() < LENGTH; i++) {
            text.append(i).append(' ');
        }
        text.setLength(LENGTH);
        origin = new ScriptedOrigin();
        proxy = new ProxyFixture(
                "origin", origin.url(), "upstream.response-timeout", "20s", "cache.memory", "64MB");
        first = proxy.client();
        second = proxy.client();
    }

    @AfterEach
    void tearDown() throws IOException {
        rest.countDown();
        first.close();
        second.close();
        proxy.close();
        origin.close();
    }

    private void arriving(String fields, boolean chunked) throws IOException {
        origin.on("/x", (request, socket, out) -> {
            if (!request.field("Range").isEmpty() || request.head().startsWith("HEAD")) {
                out.write("HTTP/1.1 200 OK\r\nBy-Itself: yes\r\nContent-Length: 0\r\n\r\n"
                        .getBytes());
                return true;
            }
            String framing = chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + LENGTH;
            out.write(("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n" + fields + framing
                            + "\r\n\r\n")
                    .getBytes());
            send(out, chunked, text.substring(0, HERE));
            rest.await(20, TimeUnit.SECONDS);
            send(out, chunked, text.substring(HERE));
            if (chunked) {
                out.write("0\r\n\r\n".getBytes());
            }
            return true;
        });
        first.send("GET /x HTTP/1.1\r\nHost: test.example\r\n\r\n");
        Awaitility.await()
                .until(() -> proxy.proxy.figures().counters().origin.receivedBytes > HERE);
    }

    private static void send(java.io.OutputStream out, boolean chunked, String part)
            throws IOException {
        out.write(((chunked ? Integer.toHexString(part.length()) + "\r\n" : "")
                        + part
                        + (chunked ? "\r\n" : ""))
                .getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    @ParameterizedTest
    @CsvSource({
        "bytes=0-9, 0, 10",
        "bytes=500-70000, 500, 70001",
        "bytes=99990-99999, 99990, 100000"
    })
    void range_ofBytesThatAreHere_isServedAtOnce(String range, int from, int end)
            throws IOException {
        arriving("ETag: \"e\"\r\n", false);
        RawClient.Answer part = second.get("/x", "Range: " + range);
        assertThat(part.status()).isEqualTo(206);
        assertThat(part.field("Content-Range"))
                .isEqualTo("bytes " + from + "-" + (end - 1) + "/" + LENGTH);
        assertThat(part.body()).isEqualTo(text.substring(from, end));
        assertThat(part.field("Cache-Status"))
                .isEqualTo("komainu; fwd=miss; fwd-status=200; stored; collapsed");
        assertThat(origin.count("/x")).isEqualTo(1);
    }

    @Test
    void ranges_several_areServedAsTheyArrive() throws IOException {
        arriving("", false);
        second.send(
                "GET /x HTTP/1.1\r\nHost: test.example\r\nRange: bytes=10-19,110000-110009\r\n\r\n");
        Awaitility.await().until(() -> proxy.proxy.figures().counters().inFlight == 2);
        rest.countDown();
        RawClient.Answer parts = second.read(false);
        assertThat(parts.status()).isEqualTo(206);
        assertThat(parts.field("Content-Type")).startsWith("multipart/byteranges; boundary=");
        assertThat(parts.body())
                .contains("Content-Range: bytes 10-19/" + LENGTH + "\r\n\r\n"
                        + text.substring(10, 20) + "\r\n--")
                .contains("Content-Range: bytes 110000-110009/" + LENGTH + "\r\n\r\n"
                        + text.substring(110000, 110010) + "\r\n--");
        assertThat(first.read(false).body()).isEqualTo(text.toString());
        assertThat(origin.count("/x")).isEqualTo(1);
    }

    @Test
    void range_thatComesSoon_waitsForItsBytes() throws IOException {
        arriving("", false);
        second.send("GET /x HTTP/1.1\r\nHost: test.example\r\nRange: bytes=99995-200000\r\n\r\n");
        Awaitility.await().until(() -> proxy.proxy.figures().counters().inFlight == 2);
        rest.countDown();
        assertThat(second.read(false).body()).isEqualTo(text.substring(99_995, 200_001));
        assertThat(origin.count("/x")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"false, bytes=2500000-2500009", "true, bytes=0-9"})
    void range_farOffOrOfUnknownWhole_isRequestedAlone(boolean chunked, String range)
            throws IOException {
        arriving("", chunked);
        assertThat(second.get("/x", "Range: " + range).field("By-Itself")).isEqualTo("yes");
        rest.countDown();
        assertThat(first.read(false).body()).isEqualTo(text.toString());
    }

    @ParameterizedTest
    @CsvSource({"false, ''", "true, yes"})
    void head_isAnsweredFromTheHeadThatIsHere(boolean chunked, String byItself) throws IOException {
        arriving("ETag: \"e\"\r\n", chunked);
        RawClient.Answer head = second.request("HEAD", "/x");
        assertThat(head.field("By-Itself")).isEqualTo(byItself);
        assertThat(head.field("Content-Length")).isEqualTo(chunked ? "0" : "" + LENGTH);
    }

    @ParameterizedTest
    @CsvSource({
        "304, If-None-Match: \"e\", Accept: */*",
        "200, If-None-Match: \"f\", Accept: */*",
        "206, If-None-Match: \"f\", Range: bytes=0-9",
        "304, If-None-Match: \"e\", Range: bytes=0-9",
        "206, If-Range: \"e\", Range: bytes=0-9",
        "200, If-Range: \"f\", Range: bytes=0-9",
        "416, If-Range: \"e\", Range: bytes=3000000-"
    })
    void conditions_areJudgedWhenTheHeadIsHere(int status, String condition, String range)
            throws IOException {
        arriving("ETag: \"e\"\r\n", false);
        second.send("GET /x HTTP/1.1\r\nHost: test.example\r\n" + condition + "\r\n" + range
                + "\r\n\r\n");
        Awaitility.await().until(() -> proxy.proxy.figures().counters().responses == 2);
        if (status == 200) {
            rest.countDown();
        }
        assertThat(second.read(false).status()).isEqualTo(status);
        assertThat(origin.count("/x")).isEqualTo(1);
    }

    @Test
    void range_whenTheArrivalBreaksOff_isBrokenOffToo() throws IOException {
        origin.on("/x", (request, socket, out) -> {
            out.write(
                    ("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 100\r\n\r\nabc")
                            .getBytes());
            out.flush();
            rest.await(20, TimeUnit.SECONDS);
            return false;
        });
        first.send("GET /x HTTP/1.1\r\nHost: test.example\r\n\r\n");
        Awaitility.await().until(() -> proxy.proxy.figures().counters().origin.receivedBytes > 60);
        second.send("GET /x HTTP/1.1\r\nHost: test.example\r\nRange: bytes=1-50\r\n\r\n");
        Awaitility.await().until(() -> proxy.proxy.figures().counters().responses == 2);
        rest.countDown();
        assertThatThrownBy(() -> second.read(false)).isInstanceOf(IOException.class);
    }
}
