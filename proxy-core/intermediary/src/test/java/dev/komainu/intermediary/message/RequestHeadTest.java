package dev.komainu.intermediary.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Heads whole, divided at every byte, and malformed. In the tables {@code ~} is CRLF, {@code ^} is
 * LF alone.
 */
class RequestHeadTest {

    private static String text(String table) {
        return table.replace("~", "\r\n")
                .replace("^", "\n")
                .replace("\\t", "\t")
                .replace("\\0", "\0")
                .replace("\\r", "\r");
    }

    private static ByteBuf buffer(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    }

    /** Returns the first outcome other than INCOMPLETE of a head that arrives byte by byte. */
    private static RequestHead.Outcome readByteByByte(RequestHead head, String text) {
        for (int end = 1; end <= text.length(); end++) {
            RequestHead.Outcome outcome = head.read(buffer(text.substring(0, end)));
            if (outcome != RequestHead.Outcome.INCOMPLETE) {
                if (outcome == RequestHead.Outcome.COMPLETE) {
                    assertThat(end).isEqualTo(text.length());
                }
                return outcome;
            }
        }
        return RequestHead.Outcome.INCOMPLETE;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1~Host: a~~",
                "GET /p?q=1 HTTP/1.1~Host: a.example:8080~Accept: */*~~",
                "~GET / HTTP/1.1~Host: a~~",
                "GET / HTTP/1.0~~",
                "OPTIONS * HTTP/1.1~Host: a~~",
                "GET http://b.example/x HTTP/1.1~Host: a~~",
                "CONNECT b.example:443 HTTP/1.1~Host: b.example:443~~",
                "POST / HTTP/1.1~Host: [::1]:80~Content-Length: 5~~",
                "POST / HTTP/1.1~Host: a~Transfer-Encoding:\\tCHUNKED ~~",
                "GET / HTTP/1.1~host:a~X:~Y: \\t v v \\t~~",
                "BREW /pot HTTP/1.1~Host: a~~"
            })
    void read_wellFormed_isComplete_wholeAndByteByByte(String table) {
        String text = text(table);
        RequestHead head = new RequestHead();
        assertThat(head.read(buffer(text + "REST"))).isEqualTo(RequestHead.Outcome.COMPLETE);
        assertThat(head.length()).isEqualTo(text.length());
        assertThat(readByteByByte(head, text)).isEqualTo(RequestHead.Outcome.COMPLETE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "400 | GET / HTTP/1.1~Host: a~Content-Length: 5~Transfer-Encoding: chunked~~",
                "400 | GET / HTTP/1.1~Host: a~Content-Length: 5~Content-Length: 5~~",
                "400 | GET / HTTP/1.1~Host: a~Content-Length: 5, 5~~",
                "400 | GET / HTTP/1.1~Host: a~Content-Length: +5~~",
                "400 | GET / HTTP/1.1~Host: a~Content-Length: -1~~",
                "400 | GET / HTTP/1.1~Host: a~Content-Length: 0x5~~",
                "400 | GET / HTTP/1.1~Host: a~Content-Length:~~",
                "400 | GET / HTTP/1.1~Host: a~Content-Length: 99999999999999999999~~",
                "400 | GET / HTTP/1.0~Host: a~Transfer-Encoding: chunked~~",
                "501 | GET / HTTP/1.1~Host: a~Transfer-Encoding: gzip, chunked~~",
                "400 | GET / HTTP/1.1~Host: a~Transfer-Encoding: chunked, gzip~~",
                "400 | GET / HTTP/1.1~Host: a~Transfer-Encoding: chunked, chunked~~",
                "400 | GET / HTTP/1.1~Host: a~Transfer-Encoding: chunked~Transfer-Encoding: chunked~~",
                "400 | GET / HTTP/1.1~Host: a~Transfer-Encoding: xchunked~~",
                "400 | GET / HTTP/1.1~Host: a~Transfer-Encoding:~~",
                "400 | GET / HTTP/1.1~Host: a~X: y~ folded~~",
                "400 | GET / HTTP/1.1~ Host: a~~",
                "400 | GET / HTTP/1.1~Host : a~~",
                "400 | GET / HTTP/1.1~Host: a~: v~~",
                "400 | GET / HTTP/1.1~Host: a~X y: v~~",
                "400 | GET / HTTP/1.1~Host: a~X(: v~~",
                "400 | GET / HTTP/1.1~Host: a~novalue~~",
                "400 | GET / HTTP/1.1~Host: a~X: a\\0b~~",
                "400 | GET / HTTP/1.1~Host: a~X: a\\rb~~",
                "400 | GET / HTTP/1.1^Host: a~~",
                "400 | GET / HTTP/1.1~Host: a^~",
                "400 | GET / HTTP/1.1~~",
                "400 | GET / HTTP/1.1~Host: a~Host: b~~",
                "400 | GET / HTTP/1.1~Host:~~",
                "400 | GET / HTTP/1.1~Host: a b~~",
                "400 | GET / HTTP/1.1~Host: u@a~~",
                "400 | GET / HTTP/1.1~Host: a:99999~~",
                "400 | GET / HTTP/1.1~Host: a/b~~",
                "400 | GET  / HTTP/1.1~Host: a~~",
                "400 | GET /  HTTP/1.1~Host: a~~",
                "400 | GET /a b HTTP/1.1~Host: a~~",
                "400 | GET a HTTP/1.1~Host: a~~",
                "400 | GET https://a/ HTTP/1.1~Host: a~~",
                "400 | GET http://u:p@a/ HTTP/1.1~Host: a~~",
                "400 | GET /#f HTTP/1.1~Host: a~~",
                "400 | G@T / HTTP/1.1~Host: a~~",
                "400 | GET /~~",
                "400 | GET / http/1.1~Host: a~~",
                "400 | GET / HTTP/1.1 ~Host: a~~",
                "505 | GET / HTTP/2.0~Host: a~~",
                "505 | GET / HTTP/1.2~Host: a~~",
                "400 | GET / HTTP/11~Host: a~~",
                "417 | POST / HTTP/1.1~Host: a~Expect: tea~~",
                "400 | \\0GET / HTTP/1.1~Host: a~~",
                "400 | OPTIONS *x HTTP/1.1~Host: a~~",
                "400 | GET * HTTP/1.1~Host: a~~"
            })
    void read_ambiguousOrMalformed_isRefused_wholeAndByteByByte(int status, String table) {
        String text = text(table);
        RequestHead head = new RequestHead();
        assertThat(head.read(buffer(text))).isEqualTo(RequestHead.Outcome.FAULT);
        assertThat(head.fault().status()).as(head.fault().reason()).isEqualTo(status);
        assertThat(readByteByByte(head, text)).isEqualTo(RequestHead.Outcome.FAULT);
        assertThat(head.fault().status()).isEqualTo(status);
    }

    @Test
    void read_oversize_isRefused() {
        RequestHead head = new RequestHead();
        String many = "X: y\r\n".repeat(100);
        assertThat(head.read(buffer("GET / HTTP/1.1\r\nHost: a\r\n" + many + "\r\n")))
                .isEqualTo(RequestHead.Outcome.FAULT);
        assertThat(head.fault().status()).isEqualTo(431);
        assertThat(head.read(buffer(
                        "GET / HTTP/1.1\r\nHost: a\r\nX: " + "y".repeat(40_000) + "\r\n\r\n")))
                .isEqualTo(RequestHead.Outcome.FAULT);
        assertThat(head.fault().status()).isEqualTo(431);
        assertThat(head.read(buffer("GET /" + "y".repeat(20_000) + " HTTP/1.1\r\nHost: a\r\n\r\n")))
                .isEqualTo(RequestHead.Outcome.FAULT);
        assertThat(head.fault().status()).isEqualTo(414);
    }

    @Test
    void read_wellFormed_returnsItsProperties() {
        RequestHead head = new RequestHead();
        head.read(buffer(
                "GET http://Other.example?x HTTP/1.1\r\nHost: a\r\nConnection: Close, x\r\n\r\n"));
        assertThat(head.isAbsolute()).isTrue();
        assertThat(head.authority()).isEqualTo("Other.example");
        assertThat(head.pathAndQuery()).isEqualTo("/?x");
        assertThat(head.keepAlive()).isFalse();
        RequestHead kept = head.detached();
        head.read(
                buffer("POST /b HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 7\r\n\r\n"));
        assertThat(head.keepAlive()).isTrue();
        assertThat(head.contentLength()).isEqualTo(7);
        assertThat(kept.authority()).isEqualTo("Other.example");
        assertThat(kept.fields().first(Field.CONNECTION)).isEqualTo("Close, x");
    }

    @Provide
    Arbitrary<String> mutated() {
        String good = "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n";
        return Arbitraries.integers()
                .between(0, good.length() - 1)
                .flatMap(at -> Arbitraries.chars()
                        .range('\0', '\u00ff')
                        .map(c -> good.substring(0, at) + c + good.substring(at + 1)));
    }

    /**
     * Changes one byte anywhere: parsing never crashes, and dividing the head never changes the
     * result.
     */
    @Property(tries = 2000)
    void read_oneByteChanged_verdictDoesNotDependOnCutting(@ForAll("mutated") String text) {
        RequestHead whole = new RequestHead();
        RequestHead.Outcome at = whole.read(buffer(text));
        RequestHead cut = new RequestHead();
        RequestHead.Outcome drip = RequestHead.Outcome.INCOMPLETE;
        for (int end = 1; end <= text.length() && drip == RequestHead.Outcome.INCOMPLETE; end++) {
            drip = cut.read(buffer(text.substring(0, end)));
        }
        assertThat(drip).isEqualTo(at);
    }

    @Property(tries = 2000)
    void read_noise_neverThrows(@ForAll byte[] noise) {
        new RequestHead().read(Unpooled.wrappedBuffer(noise));
        new ResponseHead().read(Unpooled.wrappedBuffer(noise));
    }
}
