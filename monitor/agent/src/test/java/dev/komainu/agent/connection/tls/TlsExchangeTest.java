package dev.komainu.agent.connection.tls;

import static dev.komainu.agent.packet.Talk.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.Failures;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.TlsFacts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/**
 * Handshakes and exchanges as records of the lengths that real servers send (OpenSSL 3 behind
 * nginx, Apache, Python).
 */
class TlsExchangeTest {

    private static final String CLIENT_HELLO = handshake(
            1,
            "\3\3" + "r".repeat(32) + "\0" + "\0\2\23\1" + "\1\0"
                    + extensions(extension(10, "\0\2\0\35")
                            + extension(0, "\0\24\0\0\21guarded.example.x")));
    private static final String SERVER_HELLO_13 = handshake(
            2, "\3\3" + "r".repeat(32) + "\0" + "\23\1" + "\0" + extensions(extension(43, "\3\4")));
    private static final String SERVER_HELLO_12 = handshake(
            2,
            "\3\3" + "r".repeat(32) + "\0" + "\300\57" + "\0"
                    + extensions(extension(16, "\0\11\10http/1.1")));
    private static final String CHANGE_CIPHER = record(20, "\1");

    /** Returns a TLS 1.3 handshake up to the client's Finished, which comes at 5 ms. */
    private static Talk thirteen() {
        return hellos(new Talk());
    }

    private static Talk hellos(Talk talk) {
        return talk.handshake()
                .request(record(22, CLIENT_HELLO))
                .answer(record(22, SERVER_HELLO_13)
                        + CHANGE_CIPHER
                        + data(38)
                        + data(811)
                        + data(53))
                .request(CHANGE_CIPHER + data(53));
    }

    private static String clientHello(String protocols) {
        return handshake(
                1,
                "\3\3" + "r".repeat(32) + "\0" + "\0\2\23\1" + "\1\0"
                        + extensions(extension(16, protocols)));
    }

    @Test
    void version13_ticketsBeforeTheFirstAnswer_areNotTheAnswer() {
        Talk talk = thirteen().request(data(108));
        talk.answer(data(266)).answer(data(266)).pause(100_000).answer(data(133) + data(4_000));
        talk.request(data(108))
                .pause(20_000)
                .answer(data(300))
                .request(data(19))
                .answer(data(19));
        ConnectionRecord it = connection(talk);
        assertThat(it.tls())
                .isEqualTo(new TlsFacts("1.3", "guarded.example.x", null, START + 5_000));
        assertThat(it.exchanges())
                .extracting(HttpExchange::responseMicros)
                .containsExactly(103_000L, 21_000L);
    }

    @Test
    void version13_ticketsWithTheAnswerOrBeforeTheRequest() {
        Talk together = thirteen()
                .request(data(108))
                .pause(50_000)
                .answer(data(250) + data(250) + data(900));
        assertThat(connection(together).exchanges())
                .extracting(HttpExchange::responseMicros)
                .containsExactly(51_000L);
        Talk before = thirteen()
                .answer(data(266) + data(266))
                .pause(9_000)
                .request(data(99))
                .answer(data(120));
        assertThat(connection(before).exchanges())
                .extracting(HttpExchange::responseMicros)
                .containsExactly(1_000L);
    }

    @Test
    void version13_noTickets_shortAnswerIsFoundAtTheEnd() {
        Talk talk = thirteen().request(data(108)).pause(7_000).answer(data(200));
        assertThat(connection(talk).exchanges())
                .containsExactly(new HttpExchange(
                        null,
                        null,
                        null,
                        START + 6_000,
                        START + 14_000,
                        START + 14_000,
                        8_000L,
                        0L,
                        8_000L,
                        7_000L));
    }

    @Test
    void version13_singleTicketBeforeAThoughtfulAnswer_isNotTheAnswer() {
        Talk talk =
                thirteen().request(data(108)).answer(data(282)).pause(30_000).answer(data(240));
        talk.request(data(108)).pause(4_000).answer(data(240));
        assertThat(connection(talk).exchanges())
                .extracting(HttpExchange::responseMicros)
                .containsExactly(32_000L, 5_000L);
    }

    @Test
    void version13_headAndBodyInTwoRecords_theHeadIsTheAnswersFirstByte() {
        Talk talk =
                thirteen().request(data(108)).pause(30_000).answer(data(282)).answer(data(900));
        HttpExchange it = connection(talk).exchanges().getFirst();
        assertThat(it.responseMicros()).isEqualTo(31_000);
        assertThat(it.transferMicros()).isEqualTo(1_000);
    }

    @Test
    void version13_ticketSentBeforeTheRequestArrived_isRecognisedByItsAcknowledgement() {
        Talk talk = thirteen();
        int before = talk.clientNext;
        talk.request(data(108));
        talk.send(false, Talk.ACK, talk.serverNext, before, data(282));
        talk.serverNext += data(282).length();
        talk.answer(data(240));
        assertThat(connection(talk).exchanges())
                .extracting(HttpExchange::responseMicros)
                .containsExactly(2_000L);
    }

    @Test
    void version13_ticketLengthLearntFromAServer_isKnownOnItsNextConnection() {
        List<Frame> frames = new ArrayList<>();
        Talk first = new Talk("10.0.0.1:40000", "10.0.0.2:443", 1, 2, frames);
        hellos(first).answer(data(282)).request(data(108)).answer(data(500));
        Talk second = new Talk("10.0.0.1:40001", "10.0.0.2:443", 1, 2, frames).pause(1_000_000);
        hellos(second).request(data(108)).pause(9_000).answer(data(282)).answer(data(500));
        assertThat(Analysis.of(frames).connections())
                .extracting(it -> it.exchanges().getFirst().responseMicros())
                .containsExactly(1_000L, 11_000L);
    }

    @Test
    void version13_singleTicketOfResumedHandshakes_isKnownBeforeAReset() {
        List<Frame> frames = new ArrayList<>();
        hellos(nth(0, frames)).answer(data(266) + data(266)).request(data(108)).answer(data(500));
        for (int n = 1; n <= 3; n++) {
            hellos(nth(n, frames))
                    .request(data(108))
                    .answer(data(250))
                    .pause(20_000)
                    .answer(data(500));
        }
        hellos(nth(4, frames)).request(data(108)).answer(data(250)).down(Talk.RST, "");
        Analysis analysis = Analysis.of(frames);
        assertThat(Failures.sum(analysis.windows()).unanswered()).isEqualTo(1);
        assertThat(analysis.connections())
                .filteredOn(it -> it.state() == ConnectionState.OPEN)
                .extracting(it -> it.exchanges().getFirst().responseMicros())
                .containsExactly(1_000L, 22_000L, 22_000L, 22_000L);
    }

    @Test
    void version13_serverWithoutTickets_shortResponseBeforeAResetCounts() {
        List<Frame> frames = new ArrayList<>();
        for (int n = 0; n < 4; n++) {
            hellos(nth(n, frames))
                    .request(data(108))
                    .answer(data(250))
                    .pause(20_000)
                    .answer(data(500));
        }
        hellos(nth(4, frames)).request(data(108)).answer(data(250)).down(Talk.RST, "");
        assertThat(Failures.sum(Analysis.of(frames).windows()).unanswered()).isZero();
    }

    /** Returns a client's n-th connection, n seconds after the first. */
    private static Talk nth(int n, List<Frame> frames) {
        return new Talk("10.0.0.1:" + (40_000 + n), "10.0.0.2:443", 1, 2, frames)
                .pause(1_000_000L * n);
    }

    @Test
    void version13_earlyData_isTheFirstRequest() {
        Talk talk = new Talk().handshake();
        talk.request(record(22, CLIENT_HELLO) + CHANGE_CIPHER + data(52));
        talk.answer(record(22, SERVER_HELLO_13) + CHANGE_CIPHER + data(31) + data(53));
        talk.request(data(21) + data(53)).answer(data(290)).pause(30_000).answer(data(240));
        talk.request(data(49)).answer(data(314));
        ConnectionRecord it = connection(talk);
        assertThat(it.exchanges())
                .extracting(HttpExchange::responseMicros)
                .containsExactly(34_000L, 1_000L);
        assertThat(it.tls().handshakeDoneMicros()).isEqualTo(START + 5_000);
    }

    @Test
    void version13_ticketAfterTheAnswerToEarlyData_isNotPartOfIt() {
        List<Frame> frames = new ArrayList<>();
        Talk first = new Talk("10.0.0.1:40000", "10.0.0.2:443", 1, 2, frames);
        hellos(first).answer(data(290) + data(290)).request(data(108)).answer(data(500));
        Talk second = new Talk("10.0.0.1:40001", "10.0.0.2:443", 1, 2, frames).pause(1_000_000);
        second.handshake().request(record(22, CLIENT_HELLO) + CHANGE_CIPHER + data(69));
        second.answer(record(22, SERVER_HELLO_13) + CHANGE_CIPHER + data(31) + data(53));
        second.request(data(21) + data(53)).pause(50_000).answer(data(240)).answer(data(290));
        second.pause(9_000).request(data(66)).answer(data(258));
        assertThat(Analysis.of(frames).connections().getLast().exchanges())
                .extracting(HttpExchange::responseMicros, HttpExchange::transferMicros)
                .containsExactly(tuple(53_000L, 0L), tuple(1_000L, 0L));
    }

    @Test
    void version13_ticketsWithinARequestsBody_areNoAnswers() {
        Talk talk = thirteen().request(data(186)).answer(data(298));
        talk.request(data(16_401)).answer(data(298)).request(data(16_401)).request(data(3_409));
        talk.pause(20_000).answer(data(240));
        assertThat(connection(talk).exchanges())
                .extracting(HttpExchange::responseMicros)
                .containsExactly(21_000L);
    }

    @Test
    void version13_helloRetryRequest_theSecondServerHelloCounts() {
        String retry = record(
                22,
                handshake(
                        2,
                        "\3\3"
                                + new String(
                                        HexFormat.of()
                                                .parseHex(
                                                        "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c"),
                                        StandardCharsets.ISO_8859_1)
                                + "\0" + "\23\1" + "\0" + extensions(extension(43, "\3\4"))));
        Talk talk = new Talk()
                .handshake()
                .request(record(22, CLIENT_HELLO))
                .answer(retry + CHANGE_CIPHER);
        talk.request(CHANGE_CIPHER + record(22, CLIENT_HELLO));
        talk.answer(record(22, SERVER_HELLO_13) + data(38) + data(811) + data(53))
                .request(data(53));
        talk.request(data(108)).pause(6_000).answer(data(500));
        ConnectionRecord it = connection(talk);
        assertThat(it.tls().handshakeDoneMicros()).isEqualTo(START + 7_000);
        assertThat(it.exchanges()).extracting(HttpExchange::responseMicros).containsExactly(7_000L);
    }

    @Test
    void version13_clientsCertificate_isNoRequest() {
        Talk talk = new Talk()
                .handshake()
                .request(record(22, CLIENT_HELLO))
                .answer(record(22, SERVER_HELLO_13)
                        + CHANGE_CIPHER
                        + data(38)
                        + data(98)
                        + data(811)
                        + data(53))
                .request(CHANGE_CIPHER + data(862) + data(281) + data(53));
        talk.request(data(103))
                .answer(data(1_114))
                .answer(data(1_114))
                .pause(20_000)
                .answer(data(240));
        assertThat(connection(talk).exchanges())
                .extracting(HttpExchange::responseMicros)
                .containsExactly(23_000L);
    }

    @Test
    void version13_keyUpdates_areNoExchanges() {
        Talk talk = thirteen().answer(data(282) + data(282));
        talk.request(data(108)).answer(data(500)).request(data(22)).answer(data(22));
        talk.request(data(108)).pause(2_000).answer(data(500));
        assertThat(connection(talk).exchanges())
                .extracting(HttpExchange::responseMicros)
                .containsExactly(1_000L, 3_000L);
    }

    @Test
    void http2_busyPeriodsFromBurstToTheLastDataBeforeIdle() {
        Talk talk = http2();
        talk.request(data(17 + 9)).request(data(17 + 43)).pause(30_000).answer(data(900));
        talk.request(data(17 + 13)).answer(data(900)).request(data(17 + 30)).answer(data(900));
        talk.pause(500_000).request(data(17 + 30)).pause(1_000).answer(data(900));
        ConnectionRecord it = connection(talk);
        assertThat(it.tls().alpn()).isEqualTo("h2");
        assertThat(it.exchanges())
                .extracting(
                        HttpExchange::method,
                        HttpExchange::responseMicros,
                        HttpExchange::transferMicros)
                .containsExactly(tuple(null, 31_000L, 4_000L), tuple(null, 2_000L, 0L));
    }

    @Test
    void http2_resetAndGoaway_leaveTheRequestWithoutResponse() {
        Talk refused = http2().request(data(17 + 43)).answer(data(17 + 30)).closeByClient();
        assertThat(unanswered(refused)).isEqualTo(1);
        Talk graceful = http2().request(data(17 + 43))
                .answer(data(17 + 30))
                .answer(data(900))
                .closeByClient();
        assertThat(unanswered(graceful)).isZero();
        Talk answered = http2().request(data(17 + 43))
                .answer(data(900))
                .answer(data(17 + 30))
                .closeByServer();
        assertThat(unanswered(answered)).isZero();
    }

    /** Returns a connection of HTTP/2 after both prefaces. */
    private static Talk http2() {
        Talk talk = new Talk().handshake();
        talk.request(record(22, clientHello("\0\14\2h2\10http/1.1")));
        talk.answer(record(22, SERVER_HELLO_13) + CHANGE_CIPHER + data(32) + data(811) + data(53));
        return talk.request(CHANGE_CIPHER + data(53))
                .request(data(17 + 64))
                .answer(data(282) + data(282) + data(17 + 40));
    }

    private static long unanswered(Talk talk) {
        return Failures.sum(Analysis.of(talk.frames()).windows()).unanswered();
    }

    @Test
    void hiddenProtocol_isInferredFromTheLength() {
        List<String> both = List.of("h2", "http/1.1");
        assertThat(AlpnInference.of(both, 6 + 9)).isEqualTo("h2");
        assertThat(AlpnInference.of(both, 6 + 15)).isEqualTo("http/1.1");
        assertThat(AlpnInference.of(both, 6 + 9 + 4)).isEqualTo("h2");
        assertThat(AlpnInference.of(both, 6)).isNull();
        assertThat(AlpnInference.of(both, 900)).isNull();
        assertThat(AlpnInference.of(List.of("h2"), 900)).isEqualTo("h2");
    }

    @Test
    void recordsCutByASnaplen_laterExchangesKeepTheirTimes() {
        Talk talk = thirteen().answer(data(282) + data(282)).request(data(108));
        talk.answer(data(1_200) + data(9_000))
                .request(data(108))
                .pause(3_000)
                .answer(data(2_000) + data(2_000));
        talk.request(data(108)).pause(5_000).answer(data(300));
        assertThat(Analysis.of(talk.frames().stream()
                                .map(frame -> frame.cutTo(500))
                                .toList())
                        .connection()
                        .exchanges())
                .extracting(HttpExchange::responseMicros)
                .containsExactly(1_000L, 4_000L, 6_000L);
    }

    @Test
    void version12_doneWithTheLaterFinished() {
        Talk talk = new Talk()
                .handshake()
                .request(record(22, CLIENT_HELLO))
                .answer(record(22, SERVER_HELLO_12) + record(22, "x".repeat(791)))
                .request(record(22, "k".repeat(37)) + CHANGE_CIPHER + record(22, "f".repeat(40)))
                .answer(CHANGE_CIPHER + record(22, "f".repeat(40)))
                .request(data(104))
                .pause(3_000)
                .answer(data(266))
                .answer(data(266));
        ConnectionRecord it = connection(talk);
        assertThat(it.tls())
                .isEqualTo(new TlsFacts("1.2", "guarded.example.x", "http/1.1", START + 6_000));
        assertThat(it.exchanges()).hasSize(1);
        assertThat(it.exchanges().getFirst().responseMicros()).isEqualTo(4_000);
        assertThat(it.exchanges().getFirst().transferMicros()).isEqualTo(1_000);
    }

    @Test
    void pickedUpMidstream_exchangesAreStillFound() {
        Talk talk = new Talk().request(data(108)).pause(2_000).answer(data(500));
        ConnectionRecord it = connection(talk);
        assertThat(it.exchanges()).extracting(HttpExchange::responseMicros).containsExactly(3_000L);
        assertThat(it.tls()).isEqualTo(new TlsFacts(null, null, null, null));
    }

    @Property(tries = 200)
    void anySplitting_sameFacts(@ForAll @IntRange(min = 1, max = 200) int size) {
        Talk talk = new Talk().handshake();
        pieces(record(22, CLIENT_HELLO), size).forEach(talk::request);
        pieces(record(22, SERVER_HELLO_13) + CHANGE_CIPHER + data(900), size).forEach(talk::answer);
        pieces(CHANGE_CIPHER + data(53), size).forEach(talk::request);
        ConnectionRecord it = connection(talk);
        assertThat(it.tls()).isNotNull();
        assertThat(it.tls().sni()).isEqualTo("guarded.example.x");
        assertThat(it.tls().version()).isEqualTo("1.3");
        assertThat(it.tls().handshakeDoneMicros()).isNotNull();
    }

    @Property(tries = 300)
    void anyHello_nothingIsThrown(@ForAll byte[] bytes, @ForAll @IntRange(max = 2) int type) {
        byte[] message = new byte[bytes.length + 4];
        message[0] = (byte) type;
        System.arraycopy(bytes, 0, message, 4, bytes.length);
        TlsHello.read(message, 0, message.length);
    }

    /** Returns a server's first flight and the client's reaction to it. */
    private static Talk flight() {
        return new Talk()
                .handshake()
                .request(record(22, CLIENT_HELLO))
                .answer(record(22, SERVER_HELLO_13)
                        + CHANGE_CIPHER
                        + data(38)
                        + data(811)
                        + data(53));
    }

    private static Talk flightInOneRecord() {
        return new Talk()
                .handshake()
                .request(record(22, CLIENT_HELLO))
                .answer(record(22, SERVER_HELLO_13) + CHANGE_CIPHER + data(902));
    }

    @Test
    void handshake_clientRefusesTheCertificate_failed() {
        // By an encrypted alert, by one in the clear, by closing without an alert;
        // the server may send close_notify.
        assertHandshakes(flight().request(CHANGE_CIPHER + data(19)).closeByClient(), 1, 1);
        assertHandshakes(flight().request(record(21, "\2\60")).up(Talk.RST, ""), 1, 1);
        assertHandshakes(flight().closeByClient(), 1, 1);
        assertHandshakes(
                flightInOneRecord()
                        .request(CHANGE_CIPHER + data(19))
                        .answer(data(19))
                        .closeByClient(),
                1,
                1);
        Talk twelve = new Talk()
                .handshake()
                .request(record(22, CLIENT_HELLO))
                .answer(record(22, SERVER_HELLO_12));
        assertHandshakes(twelve.request(record(21, "\2\60")).closeByClient(), 1, 1);
    }

    @Test
    void handshake_serverRefuses_failed() {
        Talk hello = new Talk().handshake().request(record(22, CLIENT_HELLO));
        assertHandshakes(hello.answer(record(21, "\2\50")).closeByServer(), 1, 1);
        assertHandshakes(
                new Talk().handshake().request(record(22, CLIENT_HELLO)).down(Talk.RST, ""), 1, 1);
        // The client's certificate, its Finished in the same record: the response is an alert.
        assertHandshakes(
                flightInOneRecord()
                        .request(CHANGE_CIPHER + data(1_200))
                        .answer(data(19))
                        .closeByServer(),
                1,
                1);
    }

    @Test
    void handshake_doneOrNeverBegun_isNoFailure() {
        assertHandshakes(thirteen().request(data(108)).answer(data(900)).closeByClient(), 1, 0);
        // A health check that sends no request, or does not even begin a handshake.
        assertHandshakes(thirteen().answer(data(266)).request(data(19)).closeByClient(), 1, 0);
        assertHandshakes(new Talk().handshake().closeByClient(), 0, 0);
        assertHandshakes(new Talk().handshake().up(Talk.RST, ""), 0, 0);
        // The client left before the server sent a byte, or the server is still silent.
        assertHandshakes(
                new Talk().handshake().request(record(22, CLIENT_HELLO)).up(Talk.RST, ""), 1, 0);
        assertHandshakes(flight(), 1, 0);
    }

    private static void assertHandshakes(Talk talk, long begun, long failed) {
        Failures failures = Failures.sum(Analysis.of(talk.frames()).windows());
        assertThat(failures).isEqualTo(new Failures(0, 0, 0, 0, begun, failed));
    }

    private static ConnectionRecord connection(Talk talk) {
        return Analysis.of(talk.frames()).connection();
    }

    private static List<String> pieces(String text, int size) {
        List<String> pieces = new java.util.ArrayList<>();
        for (int at = 0; at < text.length(); at += size) {
            pieces.add(text.substring(at, Math.min(text.length(), at + size)));
        }
        return pieces;
    }

    private static String data(int length) {
        return record(23, "x".repeat(length));
    }

    private static String record(int type, String body) {
        return (char) type + "\3\3" + sixteen(body.length()) + body;
    }

    private static String handshake(int type, String body) {
        return (char) type + "\0" + sixteen(body.length()) + body;
    }

    private static String extensions(String all) {
        return sixteen(all.length()) + all;
    }

    private static String extension(int type, String body) {
        return sixteen(type) + sixteen(body.length()) + body;
    }

    private static String sixteen(int number) {
        return "" + (char) (number >> 8) + (char) (number & 0xff);
    }
}
