package dev.komainu.agent.connection;

import static dev.komainu.agent.packet.Talk.ACK;
import static dev.komainu.agent.packet.Talk.FIN;
import static dev.komainu.agent.packet.Talk.RST;
import static dev.komainu.agent.packet.Talk.START;
import static dev.komainu.agent.packet.Talk.SYN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.Handshake;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Beginnings and ends of connections, and the values of their records. */
class ConnectionLifeTest {

    @Test
    void requestAndClose_allTimesOfTheThesis() {
        Talk talk = new Talk().handshake().get("/a").ok("hi").up(ACK, "").closeByServer();
        ConnectionRecord it = Analysis.of(talk.frames()).connection();
        assertThat(it.state()).isEqualTo(ConnectionState.NORMAL);
        assertThat(it.client()).hasToString("10.0.0.1:40000");
        assertThat(it.server()).hasToString("10.0.0.2:80");
        assertThat(it.times().startMicros()).isEqualTo(START);
        // SYN, SYN/ACK, ACK, request, answer, ACK, FIN, ACK, FIN, ACK: T_c to the last of them.
        assertThat(it.times().durationMicros()).isEqualTo(9_000);
        assertThat(it.handshake())
                .isEqualTo(new Handshake(START, START + 1_000, 2_000L, 1, 1_000L, 1_000L));
        // T_d from the response to the acknowledgement of the server's FIN.
        assertThat(it.times().transferMicros()).isEqualTo(3_000);
        assertThat(it.exchanges()).hasSize(1);
        assertThat(it.exchanges().getFirst().responseMicros()).isEqualTo(1_000);
        assertThat(it.up().packets()).isEqualTo(6);
        assertThat(it.down().packets()).isEqualTo(4);
        assertThat(it.up().wireBytes()).isEqualTo(6 * 40 + 8 + it.up().payloadBytes());
    }

    @Test
    void simultaneousClose_isNormal() {
        Talk talk = new Talk().handshake();
        talk.send(true, FIN | ACK, talk.clientNext, talk.serverNext, "");
        talk.send(false, FIN | ACK, talk.serverNext, talk.clientNext, "");
        talk.send(true, ACK, talk.clientNext + 1, talk.serverNext + 1, "");
        talk.send(false, ACK, talk.serverNext + 1, talk.clientNext + 1, "");
        ConnectionRecord it = Analysis.of(talk.frames()).connection();
        assertThat(it.state()).isEqualTo(ConnectionState.NORMAL);
        assertThat(it.times().durationMicros()).isEqualTo(6_000);
    }

    @Test
    void lateDuplicateAfterTheClose_raisesNoGhost() {
        Talk talk = new Talk().handshake().closeByClient();
        Frame lastFin = talk.frames().get(talk.frames().size() - 2);
        talk.frames().add(lastFin.at(talk.micros + 500_000));
        ConnectionRecord it = Analysis.of(talk.frames()).connection();
        assertThat(it.state()).isEqualTo(ConnectionState.NORMAL);
        assertThat(it.down().packets()).isEqualTo(4);
        assertThat(it.down().retransmissions()).isEqualTo(1);
    }

    @Test
    void lateAcknowledgementLive_afterTheRowIsGone_isAStray() {
        Talk talk = new Talk().handshake().closeByClient();
        talk.frames().add(talk.last().at(talk.micros + 60_000_000));
        Analysis analysis = Analysis.of(talk.frames(), AnalyzerConfig.live(Set.of(80)));
        assertThat(analysis.connection().state()).isEqualTo(ConnectionState.NORMAL);
        assertThat(analysis.drops())
                .anySatisfy(drop -> assertThat(drop.reason()).isEqualTo("stray-packet"));
    }

    @Test
    void clientThatLeftAFullListenQueue_isGoneSoonAndItsRepeatsRaiseNoGhost() {
        Talk talk = new Talk().handshake().get("/");
        Frame request = talk.last();
        talk.up(FIN | ACK, "");
        long left = talk.micros;
        for (long later :
                new long[] {200_000, 600_000, 1_400_000, 3_000_000, 6_200_000, 12_600_000}) {
            talk.frames().add(request.at(left + later));
        }
        ticking(talk, 14);
        Analysis analysis = Analysis.of(talk.frames(), AnalyzerConfig.live(Set.of(80)));
        ConnectionRecord it = analysis.connection();
        assertThat(it.state()).isEqualTo(ConnectionState.HALF_CLOSED);
        assertThat(it.up().retransmissions()).isEqualTo(6);
        assertThat(analysis.windows().stream()
                        .filter(window -> window.concurrency().concurrentMean() > 0)
                        .count())
                .isLessThan(7);
    }

    @Test
    void requestAtAFullListenQueue_waitsUntilItIsRepeatedAndAgainWhenItIsTaken() {
        Talk talk = new Talk().handshake().get("/");
        Frame request = talk.last();
        for (long later : new long[] {900_000, 1_400_000, 11_000_000}) {
            talk.frames().add(request.at(START + later));
        }
        talk.micros = START + 11_100_000;
        talk.ok("x").closeByServer();
        ticking(talk, 13);
        Analysis analysis = Analysis.of(talk.frames(), AnalyzerConfig.live(Set.of(80)));
        assertThat(analysis.connection().state()).isEqualTo(ConnectionState.NORMAL);
        assertThat(analysis.connection().exchanges()).hasSize(1);
        assertThat(analysis.windows().stream()
                        .map(window -> Math.round(window.concurrency().processingMean())))
                .startsWith(1L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
        assertThat(analysis.windows().stream()
                        .map(window -> Math.round(window.concurrency().concurrentMean())))
                .startsWith(1L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
        assertThat(analysis.windows().stream()
                        .mapToDouble(window -> window.concurrency().processingMean())
                        .min())
                .hasValue(0);
    }

    @Test
    void requestAtAFullListenQueue_besideAnother_isLeftOutOnce() {
        Talk refused = new Talk().handshake().get("/");
        Frame request = refused.last();
        refused.frames().add(request.at(START + 300_000));
        Talk idle = new Talk("10.0.0.8:40000", "10.0.0.2:80", 1_000, 9_000, refused.frames());
        idle.handshake().get("/idle").ok("x");
        ticking(refused, 9);
        Analysis analysis = Analysis.of(refused.frames(), AnalyzerConfig.live(Set.of(80)));
        assertThat(analysis.windows().stream()
                        .map(window -> Math.round(window.concurrency().concurrentMean())))
                .startsWith(1L, 1L, 1L, 1L, 1L, 1L, 1L);
    }

    @Test
    void requestAtAFullListenQueue_neverTaken_endsWithItsRequest() {
        Talk talk = new Talk().handshake().get("/");
        talk.micros = START + 8_000_000;
        talk.send(false, RST, talk.serverNext, 0, "");
        ticking(talk, 12);
        Analysis analysis = Analysis.of(talk.frames(), AnalyzerConfig.live(Set.of(80)));
        assertThat(analysis.connection().state()).isEqualTo(ConnectionState.RST_SERVER);
        assertThat(analysis.windows().getLast().concurrency().processingMean()).isZero();
        assertThat(analysis.windows().getLast().concurrency().concurrentMean()).isZero();
    }

    /** Adds packets of an unwatched connection, so that the analyzer sees the time pass. */
    private static void ticking(Talk talk, int seconds) {
        Talk stray = new Talk("10.0.0.3:40000", "10.0.0.2:80", 1, 1, talk.frames());
        for (int tenth = 0; tenth < seconds * 10; tenth++) {
            stray.micros = START + tenth * 100_000L + 50_000;
            stray.send(true, ACK, 1, 1, "");
        }
        talk.frames().sort(Comparator.comparingLong(Frame::micros));
    }

    @Test
    void unansweredSyn_isOpenWhileItIsRepeated() {
        Talk talk = new Talk();
        for (long second : new long[] {0, 1, 2, 3, 11}) {
            talk.micros = START + second * 1_000_000;
            talk.send(true, SYN, talk.clientNext, 0, "");
        }
        talk.handshake().get("/").ok("x").closeByServer();
        ticking(talk, 12);
        Analysis analysis = Analysis.of(talk.frames(), AnalyzerConfig.live(Set.of(80)));
        assertThat(analysis.connection().state()).isEqualTo(ConnectionState.NORMAL);
        assertThat(analysis.connection().exchanges()).hasSize(1);
        assertThat(analysis.windows().stream()
                        .map(window -> Math.round(window.concurrency().concurrentMean())))
                .startsWith(1L, 1L, 1L, 1L, 1L, 1L, 0L, 0L, 0L, 0L, 0L);
        assertThat(analysis.windows().stream()
                        .mapToLong(window -> window.connections().arrivals())
                        .sum())
                .isEqualTo(1);
    }

    @Test
    void rstKinds_eachHasItsState() {
        assertThat(state(new Talk().up(SYN, "").down(RST | ACK, "")))
                .isEqualTo(ConnectionState.REFUSED);
        assertThat(state(new Talk().handshake().get("/").up(RST | ACK, "")))
                .isEqualTo(ConnectionState.RST_CLIENT);
        assertThat(state(new Talk().handshake().get("/").down(RST, "")))
                .isEqualTo(ConnectionState.RST_SERVER);
        assertThat(state(new Talk().handshake().up(FIN | ACK, "").down(RST, "")))
                .isEqualTo(ConnectionState.RST_SERVER);
        // A reset after both FINs only cleans up.
        assertThat(state(new Talk().handshake().closeByClient().up(RST, "")))
                .isEqualTo(ConnectionState.NORMAL);
        assertThat(state(new Talk().up(SYN, "").down(SYN | ACK, "").up(RST, "")))
                .isEqualTo(ConnectionState.HALF_OPEN);
    }

    @Test
    void unfinishedOpenings_eachHasItsState() {
        assertThat(state(new Talk().up(SYN, ""))).isEqualTo(ConnectionState.NO_ANSWER);
        assertThat(state(new Talk().up(SYN, "").down(SYN | ACK, "")))
                .isEqualTo(ConnectionState.HALF_OPEN);
        assertThat(state(new Talk().handshake())).isEqualTo(ConnectionState.OPEN);
        assertThat(state(new Talk().handshake().up(FIN | ACK, "").down(ACK, "")))
                .isEqualTo(ConnectionState.HALF_CLOSED);
    }

    @Test
    void forgedRst_farFromTheSequence_endsNothing() {
        Talk talk = new Talk().handshake();
        talk.send(false, RST, talk.serverNext + (1 << 28), 0, "");
        talk.get("/").ok("x").closeByClient();
        ConnectionRecord it = Analysis.of(talk.frames()).connection();
        assertThat(it.state()).isEqualTo(ConnectionState.NORMAL);
        assertThat(it.exchanges()).hasSize(1);
    }

    @Test
    void synRepeats_areCountedAndTheServersRttLeftOut() {
        Talk talk = new Talk();
        talk.send(true, SYN, talk.clientNext, 0, "").pause(1_000_000);
        talk.send(true, SYN, talk.clientNext, 0, "").pause(1_000_000);
        talk.handshake();
        ConnectionRecord it = Analysis.of(talk.frames()).connection();
        assertThat(it.handshake().synCount()).isEqualTo(3);
        assertThat(it.handshake().serverRttMicros()).isNull();
        assertThat(it.handshake().clientRttMicros()).isEqualTo(1_000);
        assertThat(it.handshake().handshakeMicros()).isEqualTo(2_004_000);
        assertThat(it.up().retransmissions()).isEqualTo(2);
    }

    @Test
    void synAckRepeated_leavesOutTheClientsRtt() {
        Talk talk = new Talk().up(SYN, "").down(SYN | ACK, "");
        talk.frames().add(talk.last().at(talk.micros));
        talk.pause(1_000).up(ACK, "");
        ConnectionRecord it = Analysis.of(talk.frames()).connection();
        assertThat(it.handshake().serverRttMicros()).isEqualTo(1_000);
        assertThat(it.handshake().clientRttMicros()).isNull();
    }

    @Test
    void portReuse_anotherIsn_isAnotherConnection() {
        List<Frame> frames = new ArrayList<>();
        Talk first = new Talk("10.0.0.1:40000", "10.0.0.2:80", 1_000, 9_000, frames);
        first.handshake().get("/1").ok("x").closeByClient();
        Talk second =
                new Talk("10.0.0.1:40000", "10.0.0.2:80", 555_000, 777_000, frames).pause(20_000);
        second.handshake().get("/2").ok("y");
        Talk third = new Talk("10.0.0.1:40000", "10.0.0.2:80", 99, 98, frames).pause(40_000);
        third.up(SYN, "");
        List<ConnectionRecord> all = Analysis.of(frames).connections();
        assertThat(all)
                .extracting(ConnectionRecord::state)
                .containsExactly(
                        ConnectionState.NORMAL, ConnectionState.OPEN, ConnectionState.NO_ANSWER);
        assertThat(all.get(1).exchanges().getFirst().target()).isEqualTo("/2");
    }

    @Test
    void portReuse_whileTheOldOneIsOpenHalfOpenOrClosing() {
        for (int packets = 1; packets <= 9; packets++) {
            List<Frame> frames = new ArrayList<>();
            Talk first = new Talk("10.0.0.1:40000", "10.0.0.2:80", 1_000, 9_000, frames);
            first.handshake().get("/1").ok("x").closeByServer();
            frames.subList(packets, frames.size()).clear();
            Talk second = new Talk("10.0.0.1:40000", "10.0.0.2:80", 555_000, 777_000, frames)
                    .pause(20_000);
            second.handshake().get("/2").ok("y").closeByClient();
            List<ConnectionRecord> all = Analysis.of(frames).connections();
            assertThat(all).as("after %d packets", packets).hasSize(2);
            assertThat(all.get(0).up().packets() + all.get(0).down().packets()).isEqualTo(packets);
            assertThat(all.get(1).state()).isEqualTo(ConnectionState.NORMAL);
            assertThat(all.get(1).exchanges().getFirst().target()).isEqualTo("/2");
        }
    }

    @Test
    void synLostByTheCapture_synAckWithBothNumbersNewIsAnotherConnection() {
        List<Frame> frames = new ArrayList<>();
        new Talk("10.0.0.1:40000", "10.0.0.2:80", 1_000, 9_000, frames)
                .handshake()
                .get("/1")
                .ok("x");
        int syn = frames.size();
        new Talk("10.0.0.1:40000", "10.0.0.2:80", 555_000, 777_000, frames)
                .pause(20_000)
                .handshake()
                .get("/2")
                .ok("y");
        frames.remove(syn);
        assertThat(Analysis.of(frames).connections())
                .extracting(ConnectionRecord::state)
                .containsExactly(ConnectionState.OPEN, ConnectionState.MIDSTREAM);
    }

    @Test
    void synCookie_anotherSynAckForTheSameSyn_isTheSameConnection() {
        Talk talk = new Talk().up(SYN, "").down(SYN | ACK, "");
        talk.serverNext = 4_444;
        talk.down(SYN | ACK, "").up(ACK, "").get("/").ok("x").closeByClient();
        ConnectionRecord it = Analysis.of(talk.frames()).connection();
        assertThat(it.state()).isEqualTo(ConnectionState.NORMAL);
        assertThat(it.down().uniqueBytes()).isEqualTo(it.down().payloadBytes()).isPositive();
        assertThat(it.exchanges()).hasSize(1);
    }

    @Test
    void handshakeCapturedInAnyOrder_isOneConnection() {
        for (int[] order : new int[][] {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
            Talk talk = new Talk().handshake().get("/").ok("x").closeByClient();
            List<Frame> frames = new ArrayList<>(talk.frames());
            for (int i = 0; i < 3; i++) {
                frames.set(i, talk.frames().get(order[i]).at(START + i * 10));
            }
            ConnectionRecord it = Analysis.of(frames).connection();
            assertThat(it.state()).isEqualTo(ConnectionState.NORMAL);
            assertThat(it.up().retransmissions() + it.down().retransmissions()).isZero();
            assertThat(it.exchanges()).hasSize(1);
        }
    }

    @Test
    void responseOnItsWayWhenTheClientResets_stillHasItsTime() {
        Talk talk = new Talk().handshake().get("/");
        talk.send(true, RST | ACK, talk.clientNext, talk.serverNext, "").ok("late");
        ConnectionRecord it = Analysis.of(talk.frames()).connection();
        assertThat(it.state()).isEqualTo(ConnectionState.RST_CLIENT);
        assertThat(it.exchanges().getFirst().status()).isEqualTo(200);
        assertThat(it.exchanges().getFirst().responseMicros()).isEqualTo(2_000);
    }

    @Test
    void midstream_serverIsTheWatchedPortElseTheLowerOne() {
        Talk talk = new Talk("10.0.0.1:999", "10.0.0.2:3128", 5, 6, new ArrayList<>());
        talk.down(ACK, "rest of an answer").get("/x").ok("y");
        ConnectionRecord guessed = Analysis.of(talk.frames()).connection();
        assertThat(guessed.state()).isEqualTo(ConnectionState.MIDSTREAM);
        assertThat(guessed.server().port()).isEqualTo(999);
        ConnectionRecord record =
                Analysis.of(talk.frames(), AnalyzerConfig.file(Set.of(3128))).connection();
        assertThat(record.server().port()).isEqualTo(3128);
        assertThat(record.exchanges()).hasSize(1);
        assertThat(record.exchanges().getFirst().target()).isEqualTo("/x");
        assertThat(record.handshake()).isEqualTo(Handshake.UNSEEN);
    }

    @Test
    void fullTable_givesUpTheHandshakesOfAFloodAndKeepsWhatWorks() {
        List<Frame> frames = new ArrayList<>();
        Talk worker = new Talk("10.0.0.1:50000", "10.0.0.2:80", 1, 2, frames).handshake();
        for (int i = 0; i < 500; i++) {
            Talk flood =
                    new Talk("10.1.0." + i % 250 + ":" + (1_024 + i), "10.0.0.2:80", i, 0, frames);
            flood.pause(10_000 + i * 1_000L).up(SYN, "");
        }
        worker.pause(1_000_000).get("/still").ok("here").closeByClient();
        Analysis analysis =
                Analysis.of(frames, AnalyzerConfig.file(Set.of()).withMaxConnections(100));
        assertThat(analysis.connections()).hasSize(501);
        assertThat(analysis.connections())
                .filteredOn(it -> it.state() == ConnectionState.NORMAL)
                .hasSize(1);
        assertThat(analysis.drops()).anySatisfy(drop -> {
            assertThat(drop.reason()).isEqualTo("connection-evicted");
            assertThat(drop.count()).isEqualTo(401);
        });
    }

    @Test
    void idleTimeOut_onPacketTime_writesTheRecordBeforeTheEnd() {
        List<Frame> frames = new ArrayList<>();
        new Talk("10.0.0.1:1000", "10.0.0.2:80", 1, 2, frames).up(SYN, "");
        new Talk("10.0.0.1:1001", "10.0.0.2:80", 1, 2, frames).pause(80_000_000).up(SYN, "");
        List<ConnectionRecord> all =
                Analysis.of(frames, AnalyzerConfig.live(Set.of(80))).connections();
        assertThat(all).hasSize(2);
        assertThat(all.getFirst().client().port()).isEqualTo(1000);
        assertThat(all.getFirst().times().durationMicros()).isZero();
    }

    private static ConnectionState state(Talk talk) {
        return Analysis.of(talk.frames()).connection().state();
    }
}
