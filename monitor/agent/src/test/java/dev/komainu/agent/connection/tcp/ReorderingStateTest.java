package dev.komainu.agent.connection.tcp;

import static dev.komainu.agent.packet.Talk.ACK;
import static dev.komainu.agent.packet.Talk.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.HttpExchange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Packets in another order than they were sent: the streams are read in their own order, with the
 * times of their packets.
 */
class ReorderingStateTest {

    private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

    @Test
    void requestHeadReordered_methodTargetAndTimesAreThoseOfAllItsSegments() {
        Talk talk = new Talk().handshake();
        talk.request("GET /a/lo").request("ng/target HTTP/1.1\r\nHo").request("st: a\r\n\r\n");
        swapTimes(talk, 3, 5);
        talk.pause(7_000).ok("x");
        assertThat(exchanges(talk))
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields(
                        "acknowledgementMicros", "thinkMicros")
                .containsExactly(exchange(
                        "GET",
                        "/a/long/target",
                        200,
                        START + 5_000,
                        START + 13_000,
                        START + 13_000));
    }

    @Test
    void answerHeadReordered_firstByteIsTheSegmentThatHoldsIt() {
        Talk talk = new Talk().handshake().get("/");
        talk.answer("HTTP/1.1 404 Not").answer(" Found\r\nContent-Le").answer("ngth: 3\r\n\r\nabc");
        swapTimes(talk, 4, 6);
        talk.get("/next").ok("y");
        assertThat(exchanges(talk))
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields(
                        "acknowledgementMicros", "thinkMicros")
                .containsExactly(
                        exchange("GET", "/", 404, START + 3_000, START + 6_000, START + 6_000),
                        exchange("GET", "/next", 200, START + 7_000, START + 8_000, START + 8_000));
    }

    @Test
    void chunkedBodyReordered_pipelinedAnswersStayWithTheirRequests() {
        Talk talk = new Talk().handshake();
        talk.request("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\r\n\r\n");
        talk.answer(CHUNKED + "5\r\nhel")
                .answer("lo\r\n2")
                .answer("0\r\n" + "b".repeat(32) + "\r\n0\r\n");
        talk.answer("\r\nHTTP/1.1 500 E\r\nContent-Length: 0\r\n\r\nHTTP/1.1 40")
                .answer("3 F\r\nContent-Length: 0\r\n\r\n");
        for (int[] pair : new int[][] {{4, 5}, {4, 8}, {6, 7}, {5, 8}}) {
            List<Frame> frames = new ArrayList<>(talk.frames());
            swapTimes(frames, pair[0], pair[1]);
            assertThat(Analysis.of(frames).connection().exchanges())
                    .extracting(HttpExchange::target, HttpExchange::status)
                    .containsExactly(tuple("/1", 200), tuple("/2", 500), tuple("/3", 403));
        }
    }

    @Test
    void retransmissionLongAfter_isWaitedForAsLongAsItIsNotAcknowledged() {
        Talk talk = new Talk().handshake().get("/1");
        int lost = talk.frames().size();
        talk.answer(CHUNKED + "a\r\n0123456789\r\n");
        for (int i = 0; i < 50; i++) {
            talk.answer("a\r\n0123456789\r\n");
        }
        talk.answer("0\r\n\r\n");
        Frame late = talk.frames().get(lost);
        talk.frames().set(lost, late.at(talk.micros + 30_000_000));
        talk.pause(31_000_000).get("/2").ok("y").closeByClient();
        ConnectionRecord record = connection(talk);
        assertThat(record.exchanges())
                .extracting(
                        HttpExchange::target, HttpExchange::status, HttpExchange::responseMicros)
                .containsExactly(tuple("/1", 200, 30_053_000L), tuple("/2", 200, 1_000L));
        assertThat(record.down().outOfOrder()).isEqualTo(1);
        assertThat(record.down().retransmissions()).isZero();
    }

    @Test
    void requestCapturedAfterItsAnswer_theyStillBelongTogether() {
        Talk talk = new Talk().handshake();
        for (int i = 0; i < 4; i++) {
            talk.get("/" + i).ok("x".repeat(i));
        }
        // The second request comes 1.5 ms late: after the response that acknowledges it.
        talk.frames().set(5, talk.frames().get(5).at(talk.frames().get(5).micros() + 1_500));
        Analysis analysis = Analysis.of(sorted(talk.closeByClient().frames()));
        assertThat(analysis.connection().exchanges())
                .extracting(HttpExchange::target, HttpExchange::status)
                .containsExactly(
                        tuple("/0", 200), tuple("/1", 200), tuple("/2", 200), tuple("/3", 200));
        assertThat(analysis.drops()).isEmpty();
    }

    @Test
    void requestLostByTheCapture_laterOnesKeepTheirAnswers() {
        Talk talk = new Talk().handshake().get("/0").ok("a");
        talk.get("/lost").ok("bb").pause(300_000).get("/2").ok("ccc").get("/3").ok("dddd");
        talk.frames().remove(5);
        assertThat(exchanges(talk))
                .extracting(HttpExchange::target, HttpExchange::status)
                .containsExactly(tuple("/0", 200), tuple("/2", 200), tuple("/3", 200));
    }

    @Test
    void overlapWithOtherData_firstSeenWins() {
        Talk talk = new Talk().handshake();
        int begin = talk.clientNext;
        talk.send(true, ACK, begin + 4, talk.serverNext, "/first HTTP/1.1\r\n");
        talk.send(true, ACK, begin, talk.serverNext, "GET /other HTTP/1.1\r\n\r\n");
        talk.clientNext = begin + 23;
        talk.ok("x");
        assertThat(exchanges(talk)).extracting(HttpExchange::target).containsExactly("/first");
    }

    @Test
    void moreHeldThanAllowed_isCountedAndNothingIsMispaired() {
        Talk talk = new Talk().handshake().get("/1");
        int lost = talk.frames().size();
        for (int i = 0; i < 3_000; i++) {
            talk.answer("HTTP/1.1 200 OK\r\nX: " + "y".repeat(1_000));
        }
        talk.answer("\r\nContent-Length: 0\r\n\r\n");
        Frame late = talk.frames().remove(lost);
        talk.frames().add(late.at(talk.micros));
        talk.pause(1_000)
                .get("/2")
                .ok("y")
                .get("/3")
                .answer("HTTP/1.1 404 N\r\nContent-Length: 0\r\n\r\n");
        AnalyzerConfig config = AnalyzerConfig.file(java.util.Set.of());
        Analysis analysis = Analysis.of(talk.frames(), config.withMaxHeldBytes(1 << 20));
        assertThat(analysis.connection().exchanges())
                .extracting(HttpExchange::target, HttpExchange::status)
                .containsExactly(tuple("/1", 200), tuple("/2", 200), tuple("/3", 404));
        assertThat(analysis.drops())
                .anySatisfy(drop -> assertThat(drop.reason()).isEqualTo("stream-bytes-not-held"));
    }

    @Test
    void bodyBytes_areNotKept() {
        Talk talk = new Talk().handshake().get("/1");
        talk.answer("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n");
        int lost = talk.frames().size();
        for (int i = 0; i < 3_000; i++) {
            talk.answer("y".repeat(1_000));
        }
        Frame late = talk.frames().remove(lost);
        talk.frames().add(late.at(talk.micros));
        talk.pause(1_000).get("/2").ok("y");
        Analysis analysis = Analysis.of(
                talk.frames(), AnalyzerConfig.file(java.util.Set.of()).withMaxHeldBytes(4_096));
        assertThat(analysis.drops()).isEmpty();
        assertThat(analysis.connection().exchanges())
                .extracting(
                        HttpExchange::target, HttpExchange::status, HttpExchange::transferMicros)
                .containsExactly(tuple("/1", 200, 3_001_000L), tuple("/2", 200, 0L));
    }

    private static HttpExchange exchange(
            String method, String target, int status, long request, long first, long last) {
        return new HttpExchange(
                method, target, status, request, first, last, first - request, last - first);
    }

    private static void swapTimes(Talk talk, int single, int other) {
        swapTimes(talk.frames(), single, other);
    }

    private static void swapTimes(List<Frame> frames, int single, int other) {
        Frame first = frames.get(single);
        Frame second = frames.get(other);
        frames.set(single, first.at(second.micros()));
        frames.set(other, second.at(first.micros()));
        Collections.swap(frames, single, other);
    }

    private static List<Frame> sorted(List<Frame> frames) {
        List<Frame> sorted = new ArrayList<>(frames);
        sorted.sort(Comparator.comparingLong(Frame::micros));
        return sorted;
    }

    private static ConnectionRecord connection(Talk talk) {
        return Analysis.of(sorted(talk.frames())).connection();
    }

    private static List<HttpExchange> exchanges(Talk talk) {
        return connection(talk).exchanges();
    }
}
