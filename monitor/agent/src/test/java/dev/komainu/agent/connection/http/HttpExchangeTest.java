package dev.komainu.agent.connection.http;

import static dev.komainu.agent.packet.Talk.ACK;
import static dev.komainu.agent.packet.Talk.FIN;
import static dev.komainu.agent.packet.Talk.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.HttpExchange;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Requests and responses as HTTP/1 delimits them (RFC 9112), in pieces, and broken. */
class HttpExchangeTest {

    private static final String CHUNKED =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n";

    @Test
    void keepAlive_eachRequestHasItsTimes() {
        Talk talk = new Talk().handshake();
        talk.get("/a?token=1")
                .pause(5_000)
                .ok("first")
                .pause(100_000)
                .get("/b#x")
                .ok("second");
        List<HttpExchange> all = exchanges(talk);
        assertThat(all)
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields(
                        "acknowledgementMicros", "thinkMicros")
                .containsExactly(
                        new HttpExchange(
                                "GET",
                                "/a",
                                200,
                                START + 3_000,
                                START + 9_000,
                                START + 9_000,
                                6_000L,
                                0L),
                        new HttpExchange(
                                "GET",
                                "/b",
                                200,
                                START + 110_000,
                                START + 111_000,
                                START + 111_000,
                                1_000L,
                                0L));
    }

    @Test
    void pipelined_answersAreMatchedInOrder() {
        Talk talk = new Talk().handshake();
        talk.request("GET /1 HTTP/1.1\r\n\r\nHEAD /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\r\n\r\n");
        talk.answer(
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 404 Not Found\r\nContent-Length: 99\r\n\r\n");
        talk.answer("HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n");
        assertThat(exchanges(talk))
                .extracting(HttpExchange::method, HttpExchange::target, HttpExchange::status)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("GET", "/1", 200),
                        org.assertj.core.groups.Tuple.tuple("HEAD", "/2", 404),
                        org.assertj.core.groups.Tuple.tuple("GET", "/3", 304));
    }

    @Test
    void chunked_endsWithItsTrailer() {
        Talk talk = new Talk().handshake().get("/");
        talk.answer(CHUNKED + "5;x=y\r\nhel");
        talk.answer("lo\r\n0\r\nTrailer: v\r\n");
        talk.answer("\r\n").get("/2").ok("x");
        List<HttpExchange> all = exchanges(talk);
        assertThat(all).hasSize(2);
        assertThat(all.getFirst().transferMicros()).isEqualTo(2_000);
    }

    @Test
    void continue100_isNotTheAnswer() {
        Talk talk = new Talk().handshake();
        talk.request("POST /up HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
        talk.answer("HTTP/1.1 100 Continue\r\n\r\n").pause(10_000);
        talk.request("body").pause(3_000).ok("done");
        HttpExchange it = exchanges(talk).getFirst();
        assertThat(it.status()).isEqualTo(200);
        assertThat(it.responseMicros()).isEqualTo(4_000);
    }

    @Test
    void upgrade_whatFollowsIsNoExchange() {
        Talk talk =
                new Talk().handshake().request("GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n");
        talk.answer("HTTP/1.1 101 Switching Protocols\r\n\r\n");
        talk.request("frame").answer("frame").request("frame");
        assertThat(exchanges(talk)).hasSize(1);
        assertThat(exchanges(talk).getFirst().status()).isEqualTo(101);
    }

    @Test
    void noLength_answerRunsToTheClose() {
        Talk talk = new Talk().handshake().request("GET / HTTP/1.0\r\n\r\n");
        talk.answer("HTTP/1.0 200 OK\r\n\r\nsome").answer("more").pause(70_000).down(FIN | ACK, "");
        HttpExchange it = exchanges(talk).getFirst();
        assertThat(it.transferMicros()).isEqualTo(1_000);
    }

    @Test
    void earlyAnswer_tRIsNotNegative() {
        Talk talk = new Talk().handshake();
        talk.request("POST /up HTTP/1.1\r\nContent-Length: 2000\r\n\r\n");
        talk.answer("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
        talk.request("x".repeat(2_000));
        talk.get("/after").ok("y");
        List<HttpExchange> all = exchanges(talk);
        assertThat(all).extracting(HttpExchange::status).containsExactly(413, 200);
        assertThat(all.getFirst().responseMicros()).isEqualTo(1_000);
    }

    @Test
    void requestWithoutAnswer_isListedWithoutTimes() {
        Talk talk = new Talk().handshake().get("/slow").up(FIN | ACK, "");
        assertThat(exchanges(talk))
                .containsExactly(new HttpExchange(
                        "GET", "/slow", null, START + 3_000, null, null, null, null));
    }

    @Test
    void snaplenCut_methodAndTimesRemain() {
        Talk talk = new Talk().handshake();
        talk.get("/short").ok("x".repeat(3_000)).up(ACK, "");
        talk.get("/a/target/that/is/longer/than/what/was/kept/of/it").ok("y").closeByClient();
        List<Frame> cut = talk.frames().stream().map(frame -> frame.cutTo(96)).toList();
        List<HttpExchange> all = Analysis.of(cut).connection().exchanges();
        assertThat(all).extracting(HttpExchange::responseMicros).containsExactly(1_000L, 1_000L);
        assertThat(all).extracting(HttpExchange::method).containsExactly("GET", "GET");
        assertThat(all).extracting(HttpExchange::target).containsExactly("/short", null);
        assertThat(all).extracting(HttpExchange::status).containsExactly(200, 200);
    }

    @Test
    void otherProtocol_directionsAlternate() {
        Talk talk = new Talk().handshake();
        talk.request("\1\2\3")
                .request("\4")
                .pause(2_000)
                .answer("\5")
                .answer("\6")
                .request("\7")
                .answer("\b");
        List<HttpExchange> all = exchanges(talk);
        assertThat(all).hasSize(2);
        assertThat(all.getFirst().method()).isNull();
        assertThat(all.getFirst().responseMicros()).isEqualTo(3_000);
        assertThat(all.getFirst().transferMicros()).isEqualTo(1_000);
    }

    @Test
    void moreThanARecordKeeps_theRestIsCounted() {
        Talk talk = new Talk().handshake();
        for (int i = 0; i < ConnectionRecord.MAX_EXCHANGES + 50; i++) {
            talk.get("/" + i).ok("x");
        }
        ConnectionRecord it = Analysis.of(talk.frames()).connection();
        assertThat(it.exchanges()).hasSize(ConnectionRecord.MAX_EXCHANGES);
        assertThat(it.exchanges().getLast().target()).isEqualTo("/999");
        assertThat(it.exchangesLeftOut()).isEqualTo(50);
        assertThat(Analysis.of(talk.frames()).windows().stream()
                        .mapToLong(window -> window.times().response().count())
                        .sum())
                .isEqualTo(ConnectionRecord.MAX_EXCHANGES + 50);
    }

    @Test
    void longTarget_isCutAt256() {
        Talk talk = new Talk().handshake().get("/" + "a".repeat(5_000)).ok("x");
        assertThat(exchanges(talk).getFirst().target()).hasSize(256);
    }

    @Property(tries = 200)
    void anySplitting_sameExchanges(@ForAll List<@IntRange(min = 1, max = 60) Integer> sizes) {
        String requests =
                "POST /a HTTP/1.1\r\ncontent-length:  5\r\n\r\nhello\r\nGET /b?q HTTP/1.1\r\nA: b\r\n\r\n";
        String answers = CHUNKED + "a\r\n0123456789\r\n00\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n";
        Talk talk = new Talk().handshake();
        pieces(requests, sizes).forEach(talk::request);
        pieces(answers, sizes).forEach(talk::answer);
        assertThat(exchanges(talk))
                .extracting(HttpExchange::method, HttpExchange::target, HttpExchange::status)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("POST", "/a", 200),
                        org.assertj.core.groups.Tuple.tuple("GET", "/b", 204));
    }

    private static List<String> pieces(String text, List<Integer> sizes) {
        List<String> pieces = new java.util.ArrayList<>();
        int at = 0;
        for (int i = 0; at < text.length(); i++) {
            int size = i < sizes.size() ? sizes.get(i) : text.length();
            pieces.add(text.substring(at, Math.min(text.length(), at + size)));
            at += size;
        }
        return pieces;
    }

    private static List<HttpExchange> exchanges(Talk talk) {
        return Analysis.of(talk.frames()).connection().exchanges();
    }
}
