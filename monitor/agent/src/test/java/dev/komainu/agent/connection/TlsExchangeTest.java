package dev.komainu.agent.connection;

import static dev.komainu.agent.packet.Talk.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.summary.Analysis;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.TlsFacts;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Handshakes and exchanges as records of the lengths that real servers send (OpenSSL 3 behind nginx, Apache, Python). */
class TlsExchangeTest {

    private static final String CLIENT_HELLO = handshake(
            1,
            "\3\3" + "r".repeat(32) + "\0" + "\0\2\23\1" + "\1\0"
                    + extensions(extension(10, "\0\2\0\35") + extension(0, "\0\24\0\0\21guarded.example.x")));
    private static final String SERVER_HELLO_13 =
            handshake(2, "\3\3" + "r".repeat(32) + "\0" + "\23\1" + "\0" + extensions(extension(43, "\3\4")));
    private static final String SERVER_HELLO_12 = handshake(
            2, "\3\3" + "r".repeat(32) + "\0" + "\300\57" + "\0" + extensions(extension(16, "\0\11\10http/1.1")));
    private static final String CHANGE_CIPHER = record(20, "\1");

    /** Until the client's Finished, which comes at 5 ms. */
    private static Talk thirteen() {
        return new Talk()
                .handshake()
                .request(record(22, CLIENT_HELLO))
                .answer(record(22, SERVER_HELLO_13) + CHANGE_CIPHER + data(38) + data(811) + data(69))
                .request(CHANGE_CIPHER + data(53));
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
        assertThat(it.tls()).isEqualTo(new TlsFacts("1.3", "guarded.example.x", null, START + 5_000));
        assertThat(it.exchanges()).extracting(HttpExchange::responseMicros).containsExactly(103_000L, 21_000L);
    }

    @Test
    void version13_ticketsWithTheAnswerOrBeforeTheRequest() {
        Talk together = thirteen().request(data(108)).pause(50_000).answer(data(250) + data(250) + data(900));
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
                        null, null, null, START + 6_000, START + 14_000, START + 14_000, 8_000L, 0L, 8_000L, 7_000L));
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
        assertThat(it.tls()).isEqualTo(new TlsFacts("1.2", "guarded.example.x", "http/1.1", START + 6_000));
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
