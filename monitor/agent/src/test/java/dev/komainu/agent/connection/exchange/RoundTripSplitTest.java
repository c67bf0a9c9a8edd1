package dev.komainu.agent.connection.exchange;

import static dev.komainu.agent.packet.Talk.ACK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * T_r split into the kernel's acknowledgement and the program's time; the round trip to the server
 * is 1 ms.
 */
class RoundTripSplitTest {

    private final Talk talk = new Talk().handshake();

    @Test
    void acknowledgementBeforeTheAnswer_isTheKernelsShare() {
        talk.get("/").down(ACK, "").pause(40_000).ok("x");
        HttpExchange it = only();
        assertThat(it.acknowledgementMicros()).isEqualTo(1_000);
        assertThat(it.responseMicros()).isEqualTo(42_000);
        assertThat(it.thinkMicros()).isEqualTo(41_000);
    }

    @Test
    void acknowledgementWithTheAnswer_isAsLateAsTheAnswer() {
        talk.get("/").pause(5_000).ok("x");
        HttpExchange it = only();
        assertThat(it.acknowledgementMicros()).isEqualTo(6_000);
        assertThat(it.thinkMicros()).isEqualTo(5_000);
    }

    @Test
    void answerFasterThanTheRoundTrip_noNegativeThought() {
        talk.get("/").pause(-500).ok("x");
        assertThat(only().thinkMicros()).isZero();
    }

    @Test
    void requestOfManySegments_theLastOnesAcknowledgementCounts() {
        talk.request("POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\n").down(ACK, "");
        talk.request("abc").pause(7_000).down(ACK, "");
        talk.request("def").pause(2_000).down(ACK, "").ok("x");
        assertThat(only().acknowledgementMicros()).isEqualTo(3_000);
    }

    @Test
    void pipelinedRequests_eachHasItsOwn() {
        talk.get("/1").get("/2").down(ACK, "").pause(10_000).ok("x").ok("y");
        List<HttpExchange> both = connection().exchanges();
        assertThat(both)
                .extracting(HttpExchange::acknowledgementMicros)
                .containsExactly(2_000L, 1_000L);
        assertThat(both).extracting(HttpExchange::thinkMicros).containsExactly(12_000L, 12_000L);
    }

    @Test
    void requestSentAgain_noSample() {
        int from = talk.clientNext;
        talk.get("/");
        int to = talk.clientNext;
        Frame sent = talk.last();
        talk.frames().add(sent.at(talk.micros));
        talk.pause(1_000).down(ACK, "").ok("x");
        assertThat(to).isGreaterThan(from);
        HttpExchange it = only();
        assertThat(it.responseMicros()).isNotNull();
        assertThat(it.acknowledgementMicros()).isNull();
        assertThat(it.thinkMicros()).isNull();
    }

    @Test
    void requestSentAgainAfterItsAcknowledgement_sampleStands() {
        talk.get("/");
        Frame sent = talk.last();
        talk.down(ACK, "");
        talk.frames().add(sent.at(talk.micros));
        talk.pause(1_000).ok("x");
        assertThat(only().acknowledgementMicros()).isEqualTo(1_000);
        assertThat(only().thinkMicros()).isEqualTo(2_000);
    }

    @Test
    void partOfTheRequestUnseen_noSample() {
        talk.request("POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\n")
                .request("abc")
                .request("def");
        talk.frames().removeLast();
        talk.down(ACK, "").pause(200_000).ok("x");
        HttpExchange it = only();
        assertThat(it.acknowledgementMicros()).isNull();
        assertThat(it.thinkMicros()).isNull();
    }

    @Test
    void answersBeginningLate_noThought() {
        talk.get("/").down(ACK, "").ok("x".repeat(10));
        Frame first = talk.last();
        talk.frames().removeLast();
        talk.answer("more").frames().add(first.at(talk.micros));
        HttpExchange it = only();
        assertThat(it.acknowledgementMicros()).isEqualTo(1_000);
        assertThat(it.thinkMicros()).isNull();
    }

    @Test
    void synSentAgain_noThoughtButAnAcknowledgement() {
        Talk repeated = new Talk();
        repeated.send(true, Talk.SYN, 1_000, 0, "")
                .handshake()
                .get("/")
                .down(ACK, "")
                .ok("x");
        HttpExchange it =
                Analysis.of(repeated.frames()).connection().exchanges().getFirst();
        assertThat(it.acknowledgementMicros()).isEqualTo(1_000);
        assertThat(it.thinkMicros()).isNull();
    }

    @Test
    void window_hasTheSameSamples() {
        talk.get("/1").down(ACK, "").pause(40_000).ok("x");
        talk.get("/2").pause(9_000).ok("x").closeByClient();
        ServiceWindow.RoundTrips it =
                Analysis.of(talk.frames()).windows().getFirst().times().roundTrips();
        assertThat(it.server().toHistogram().getMaxValue()).isBetween(990L, 1_010L);
        assertThat(it.client().toHistogram().getMaxValue()).isBetween(990L, 1_010L);
        assertThat(it.server().count()).isEqualTo(1);
        assertThat(it.client().count()).isEqualTo(1);
        assertThat(it.acknowledgement().count()).isEqualTo(2);
        assertThat(it.think().count()).isEqualTo(2);
        assertThat(it.think().toHistogram().getMaxValue()).isBetween(40_800L, 41_400L);
    }

    private HttpExchange only() {
        List<HttpExchange> all = connection().exchanges();
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    private dev.komainu.telemetry.record.ConnectionRecord connection() {
        talk.frames().sort(Comparator.comparingLong(Frame::micros));
        return Analysis.of(talk.frames()).connection();
    }
}
