package dev.komainu.agent.connection.tcp;

import static dev.komainu.agent.packet.Talk.ACK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.ConnectionRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Reordering, repeats, overlaps, loss and wrap: every byte is counted once (RFC 9293 3.4). */
class SequenceTrackingTest {

    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n";
    private static final String THOUSAND = "x".repeat(1_000);

    /** Handshake, request, head and three segments of body, acknowledged. */
    private static Talk threeSegments(int serverIsn) {
        Talk talk = new Talk("10.0.0.1:40000", "10.0.0.2:80", 1_000, serverIsn, new ArrayList<>());
        return talk.handshake()
                .get("/")
                .answer(HEAD)
                .answer(THOUSAND)
                .answer(THOUSAND)
                .answer(THOUSAND);
    }

    @Test
    void reorderedSegments_areLateNotRepeated() {
        Talk talk = threeSegments(9_000);
        Collections.swap(talk.frames(), 5, 6);
        talk.up(ACK, "").closeByClient();
        ConnectionRecord record = Analysis.of(talk.frames()).connection();
        assertThat(record.down().outOfOrder()).isEqualTo(1);
        assertThat(record.down().retransmissions()).isZero();
        assertThat(record.down().uniqueBytes()).isEqualTo(HEAD.length() + 3_000);
        assertThat(record.exchanges()).hasSize(1);
        assertThat(record.exchanges().getFirst().status()).isEqualTo(200);
    }

    @Test
    void repeatedSegment_isCountedOnceAsUnique() {
        Talk talk = threeSegments(9_000);
        talk.frames().add(talk.frames().get(5).at(talk.micros));
        ConnectionRecord record = Analysis.of(talk.frames()).connection();
        assertThat(record.down().retransmissions()).isEqualTo(1);
        assertThat(record.down().payloadBytes()).isEqualTo(HEAD.length() + 4_000);
        assertThat(record.down().uniqueBytes()).isEqualTo(HEAD.length() + 3_000);
    }

    @Test
    void overlappingSegment_onlyItsNewPartIsUnique() {
        Talk talk = threeSegments(9_000);
        talk.send(false, ACK, talk.serverNext - 500, talk.clientNext, THOUSAND);
        ConnectionRecord record = Analysis.of(talk.frames()).connection();
        assertThat(record.down().retransmissions()).isZero();
        assertThat(record.down().uniqueBytes()).isEqualTo(HEAD.length() + 3_500);
    }

    @Test
    void sequenceWrap_changesNothing() {
        Talk plain = threeSegments(9_000).up(ACK, "").closeByServer();
        Talk wrapped = threeSegments(-1_500).up(ACK, "").closeByServer();
        assertThat(Analysis.of(wrapped.frames()).connection())
                .isEqualTo(Analysis.of(plain.frames()).connection());
    }

    @Test
    void segmentLostByTheCapture_isUnseenAndTheExchangeGoesOn() {
        Talk talk = threeSegments(9_000);
        talk.frames().remove(5);
        talk.up(ACK, "").get("/next").ok("y").closeByClient();
        Analysis analysis = Analysis.of(talk.frames());
        ConnectionRecord record = analysis.connection();
        assertThat(record.down().uniqueBytes()).isEqualTo(HEAD.length() + 2_000 + ok("y"));
        assertThat(record.exchanges())
                .extracting(exchange -> exchange.target())
                .containsExactly("/", "/next");
        assertThat(analysis.windows().stream()
                        .mapToLong(window -> window.packets().unseenSegments())
                        .sum())
                .isEqualTo(1);
    }

    @Test
    void lastSegmentLostByTheCapture_isUnseenToo() {
        Talk talk = threeSegments(9_000);
        talk.frames().removeLast();
        talk.up(ACK, "").get("/next").ok("y").closeByClient();
        Analysis analysis = Analysis.of(talk.frames());
        assertThat(analysis.connection().exchanges())
                .extracting(exchange -> exchange.target())
                .containsExactly("/", "/next");
        assertThat(analysis.drops())
                .anySatisfy(drop -> assertThat(drop.reason()).isEqualTo("unseen-segment"));
    }

    @Test
    void keepAliveProbe_isNoRetransmission() {
        Talk talk = threeSegments(9_000).up(ACK, "");
        talk.send(true, ACK, talk.clientNext - 1, talk.serverNext, "\0");
        talk.send(true, ACK, talk.clientNext - 1, talk.serverNext, "");
        ConnectionRecord record = Analysis.of(talk.frames()).connection();
        assertThat(record.up().retransmissions()).isZero();
    }

    @Test
    void zeroWindow_isCountedForItsSender() {
        Talk talk = threeSegments(9_000);
        talk.window = 0;
        talk.up(ACK, "").up(ACK, "");
        talk.window = 1_000;
        talk.up(ACK, "");
        ConnectionRecord record = Analysis.of(talk.frames()).connection();
        assertThat(record.up().zeroWindow()).isEqualTo(2);
        assertThat(record.down().zeroWindow()).isZero();
    }

    @Test
    void pickedUpMidstream_bytesBelowTheFirstPacketSeenAreNewOnce() {
        Talk talk = threeSegments(9_000);
        List<Frame> frames = new ArrayList<>(talk.frames().subList(7, 8));
        frames.add(talk.frames().get(5).at(talk.micros));
        frames.add(talk.frames().get(6).at(talk.micros + 10));
        frames.add(talk.frames().get(5).at(talk.micros + 20));
        ConnectionRecord record =
                Analysis.of(frames, AnalyzerConfig.file(Set.of(80))).connection();
        assertThat(record.down().uniqueBytes()).isEqualTo(3_000);
        assertThat(record.down().outOfOrder()).isEqualTo(2);
        assertThat(record.down().retransmissions()).isEqualTo(1);
    }

    @Test
    void zeroWindowProbe_isNoRetransmission() {
        Talk talk = new Talk().handshake().get("/").answer(HEAD);
        talk.window = 0;
        talk.up(ACK, "");
        for (int i = 0; i < 3; i++) {
            talk.send(false, ACK, talk.serverNext, talk.clientNext, "x").up(ACK, "");
        }
        ConnectionRecord record = Analysis.of(talk.frames()).connection();
        assertThat(record.down().retransmissions()).isZero();
        assertThat(record.down().uniqueBytes()).isEqualTo(HEAD.length() + 1);
        assertThat(record.up().zeroWindow()).isEqualTo(4);
    }

    /**
     * A model with one bit for each byte gives the expected unique bytes, for segments in any
     * order.
     */
    @Property(tries = 300)
    void anySegmentsInAnyOrder_uniqueBytesAreThoseOfTheModel(
            @ForAll int isn, @ForAll List<@IntRange(max = 40_000) Integer> numbers) {
        Talk talk = new Talk("10.0.0.1:40000", "10.0.0.2:80", 1_000, isn, new ArrayList<>());
        talk.handshake();
        boolean[] seen = new boolean[2_000];
        for (int number : numbers) {
            int from = number / 40 % 1_000;
            int length = number % 40;
            talk.send(false, ACK, talk.serverNext + from, talk.clientNext, "d".repeat(length));
            for (int i = from; i < from + length; i++) {
                seen[i] = true;
            }
        }
        long expected = 0;
        for (boolean single : seen) {
            expected += single ? 1 : 0;
        }
        List<Frame> frames = talk.frames();
        ConnectionRecord record = Analysis.of(frames).connection();
        if (numbers.size() < SequenceGaps.MOST) {
            assertThat(record.down().uniqueBytes()).isEqualTo(expected);
        } else {
            // Not all of so many holes are kept.
            assertThat(record.down().uniqueBytes()).isLessThanOrEqualTo(expected);
        }
    }

    private static int ok(String body) {
        return ("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body).length();
    }
}
