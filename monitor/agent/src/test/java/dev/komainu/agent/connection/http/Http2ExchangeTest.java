package dev.komainu.agent.connection.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.HttpExchange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** HTTP/2 in the clear: each stream is an exchange. */
class Http2ExchangeTest {

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    private static final int HEADERS = 1;
    private static final int DATA = 0;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int WHOLE = END_STREAM | END_HEADERS;

    private final Talk talk = new Talk().handshake();

    @Test
    void interleavedStreams_eachHasItsTimes() {
        talk.request(PREFACE + settings() + get(1, "/slow") + get(3, "/fast?x=1"));
        talk.answer(settings()).pause(4_000);
        talk.answer(frame(HEADERS, END_HEADERS, 3, "\210"))
                .answer(frame(DATA, END_STREAM, 3, "fast"));
        talk.pause(50_000).answer(frame(HEADERS, END_HEADERS, 1, "\215"));
        talk.request(get(5, "/next")).answer(frame(DATA, END_STREAM, 1, "slow"));
        talk.answer(frame(HEADERS, WHOLE, 5, "\211"));
        assertThat(exchanges())
                .extracting(
                        HttpExchange::method,
                        HttpExchange::target,
                        HttpExchange::status,
                        HttpExchange::responseMicros,
                        HttpExchange::transferMicros)
                .containsExactly(
                        tuple("GET", "/fast", 200, 6_000L, 1_000L),
                        tuple("GET", "/slow", 404, 58_000L, 2_000L),
                        tuple("GET", "/next", 204, 2_000L, 0L));
    }

    @Test
    void requestWithBody_timeRunsFromItsLastFrame() {
        talk.request(PREFACE + settings() + frame(HEADERS, END_HEADERS, 1, "\203" + path("/post")));
        talk.request(frame(DATA, 0, 1, "half")).down(Talk.ACK, "").pause(9_000);
        talk.request(frame(DATA, END_STREAM, 1, "rest"));
        talk.down(Talk.ACK, "").pause(3_000).answer(frame(HEADERS, WHOLE, 1, "\210"));
        HttpExchange exchange = exchanges().getFirst();
        assertThat(exchange.method()).isEqualTo("POST");
        assertThat(exchange.responseMicros()).isEqualTo(5_000);
        assertThat(exchange.acknowledgementMicros()).isEqualTo(1_000);
        assertThat(exchange.thinkMicros()).isEqualTo(4_000);
    }

    @Test
    void interimAnswersAndTrailers_areNotTheAnswer() {
        talk.request(PREFACE + settings() + get(1, "/"));
        talk.answer(frame(HEADERS, END_HEADERS, 1, "\10\003103")).pause(6_000);
        talk.answer(frame(HEADERS, END_HEADERS, 1, "\210")).answer(frame(DATA, 0, 1, "x"));
        talk.answer(frame(HEADERS, WHOLE, 1, "\0\1a\1b"));
        assertThat(exchanges())
                .extracting(
                        HttpExchange::status,
                        HttpExchange::responseMicros,
                        HttpExchange::transferMicros)
                .containsExactly(tuple(200, 8_000L, 2_000L));
    }

    @Test
    void streamReset_endsWithoutAnAnswer() {
        talk.request(PREFACE + settings() + get(1, "/gone") + get(3, "/stays"));
        talk.request(frame(3, 0, 1, "\0\0\0\10")).answer(frame(HEADERS, WHOLE, 3, "\210"));
        assertThat(exchanges())
                .extracting(HttpExchange::target, HttpExchange::status)
                .containsExactlyInAnyOrder(tuple("/gone", null), tuple("/stays", 200));
    }

    @Test
    void paddingPriorityContinuationAndPromises_areReadOver() {
        String padded = "\2" + "\0\0\0\0\20" + "\202" + path("/padded") + "\0\0";
        talk.request(PREFACE + settings() + frame(HEADERS, WHOLE | 0x8 | 0x20, 1, padded));
        String whole = "\202" + path("/in-two");
        talk.request(frame(HEADERS, END_STREAM, 3, whole.substring(0, 4))
                + frame(9, END_HEADERS, 3, whole.substring(4)));
        // The promise adds an entry to the server's table that the response refers to.
        talk.answer(settings() + frame(5, END_HEADERS, 1, "\0\0\0\2" + "\202" + "\110\003500"));
        talk.answer(frame(HEADERS, WHOLE, 1, "\276")).answer(frame(HEADERS, WHOLE, 3, "\210"));
        assertThat(exchanges())
                .extracting(HttpExchange::target, HttpExchange::status)
                .containsExactly(tuple("/padded", 500), tuple("/in-two", 200));
    }

    @Test
    void upgradeFromHttp1_streamsAreFollowed() {
        talk.request("GET /old HTTP/1.1\r\nUpgrade: h2c\r\n\r\n");
        talk.answer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n");
        talk.request(PREFACE + settings()).answer(settings() + frame(HEADERS, WHOLE, 1, "\210"));
        talk.request(get(3, "/new")).answer(frame(HEADERS, WHOLE, 3, "\210"));
        assertThat(exchanges())
                .extracting(HttpExchange::target, HttpExchange::status)
                .containsExactly(tuple("/old", 101), tuple("/new", 200));
    }

    @Test
    void answersHeadersAcrossSegments_firstByteIsTheirFirst() {
        talk.request(PREFACE + settings() + get(1, "/"));
        String answer = frame(HEADERS, WHOLE, 1, "\210");
        talk.pause(5_000).answer(answer.substring(0, 4)).answer(answer.substring(4));
        assertThat(exchanges())
                .extracting(HttpExchange::responseMicros, HttpExchange::transferMicros)
                .containsExactly(tuple(6_000L, 1_000L));
    }

    @Test
    void answersHeadersAcrossSegmentsInWrongOrder_firstByteIsNotAfterTheLast() {
        talk.request(PREFACE + settings() + get(1, "/"));
        String answer = frame(HEADERS, WHOLE, 1, "\210");
        talk.pause(5_000).answer(answer.substring(0, 4));
        Frame late = talk.last();
        talk.answer(answer.substring(4));
        talk.frames().remove(late);
        talk.frames().add(late.at(late.micros() + 30_000));
        assertThat(exchanges())
                .extracting(HttpExchange::responseMicros, HttpExchange::transferMicros)
                .containsExactly(tuple(7_000L, 29_000L));
    }

    @Test
    void dataWithAHole_laterStreamsAreFound() {
        talk.request(PREFACE + settings() + get(1, "/big"));
        talk.answer(frame(HEADERS, END_HEADERS, 1, "\210")
                + head(3_000, DATA, END_STREAM, 1)
                + "a".repeat(1_000));
        talk.answer("a".repeat(1_000));
        Frame lost = talk.last();
        talk.answer("a".repeat(1_000)).up(Talk.ACK, "").pause(300_000);
        talk.request(get(3, "/next")).answer(frame(HEADERS, WHOLE, 3, "\210"));
        talk.frames().remove(lost);
        assertThat(exchanges())
                .extracting(HttpExchange::target, HttpExchange::status)
                .containsExactly(tuple("/big", 200), tuple("/next", 200));
    }

    @Property(tries = 100)
    void anySplitting_sameExchanges(@ForAll @IntRange(min = 4, max = 90) int size) {
        Talk split = new Talk().handshake();
        pieces(PREFACE + settings() + get(1, "/one") + get(3, "/two"), size)
                .forEach(split::request);
        pieces(
                        settings()
                                + frame(HEADERS, END_HEADERS, 3, "\210")
                                + frame(DATA, END_STREAM, 3, "x".repeat(200))
                                + frame(HEADERS, WHOLE, 1, "\215"),
                        size)
                .forEach(split::answer);
        assertThat(Analysis.of(split.frames()).connection().exchanges())
                .extracting(HttpExchange::target, HttpExchange::status)
                .containsExactlyInAnyOrder(tuple("/one", 404), tuple("/two", 200));
    }

    @Property(tries = 500)
    void anyBytesAfterThePreface_everythingIsGivenBack(@ForAll byte[] up, @ForAll byte[] down) {
        Talk wild = new Talk().handshake();
        wild.request(PREFACE + new String(up, StandardCharsets.ISO_8859_1));
        wild.answer(new String(down, StandardCharsets.ISO_8859_1));
        wild.request(get(1, "/")).answer(frame(HEADERS, WHOLE, 1, "\210"));
        assertThat(Analysis.of(wild.frames()).connections()).hasSize(1);
    }

    private List<HttpExchange> exchanges() {
        return Analysis.of(talk.frames()).connection().exchanges();
    }

    private static List<String> pieces(String text, int size) {
        List<String> pieces = new ArrayList<>();
        for (int at = 0; at < text.length(); at += size) {
            pieces.add(text.substring(at, Math.min(text.length(), at + size)));
        }
        return pieces;
    }

    private static String get(int stream, String target) {
        return frame(HEADERS, WHOLE, stream, "\202" + path(target));
    }

    /** Literal with incremental indexing, name 4. */
    private static String path(String target) {
        return "\104" + (char) target.length() + target;
    }

    private static String settings() {
        return frame(4, 0, 0, "\0\3\0\0\0\144");
    }

    private static String frame(int type, int flags, int stream, String payload) {
        return head(payload.length(), type, flags, stream) + payload;
    }

    private static String head(int length, int type, int flags, int stream) {
        return "\0" + (char) (length >> 8) + (char) (length & 0xff) + (char) type + (char) flags
                + "\0\0\0" + (char) stream;
    }
}
