package dev.komainu.organizer.line.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.organizer.line.ConnectionFigures;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.SendWindow;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.kit.Answers;
import dev.komainu.organizer.line.kit.Ends;
import dev.komainu.organizer.line.kit.Heard;
import dev.komainu.organizer.line.kit.Tuned;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Lost connections (cut, silent, refused, drained): the requests that are repeated and those that
 * are not, and the events of their owners.
 */
class LostConnectionTest {

    private static final int PING_BYTES = 17;

    private final Ends ends = new Ends();

    @AfterEach
    void tearDown() throws Exception {
        ends.close();
    }

    @Test
    void connectionRefused_isReportedWithItsTime_unlessAnotherIsUp() throws Exception {
        LineServer server = ends.server(Ends.QUICK, null);
        InetSocketAddress nobody;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = new InetSocketAddress(taken.getInetAddress(), taken.getLocalPort());
        }
        Line down = ends.line(nobody, Ends.QUICK, null);
        await().until(() -> Ends.figures(down)
                .lastFailure()
                .equals("no process listens on the port (connection refused)"));
        assertThat(Ends.figures(down).downSinceMillis()).isBetween(1L, System.currentTimeMillis());

        Line up = ends.line(server.address(), Ends.QUICK, null);
        await().until(() -> Ends.figures(up).downSinceMillis() == 0);
        assertThat(LineFigures.together(List.of(Ends.figures(down), Ends.figures(up)))
                        .downSinceMillis())
                .isZero();
        assertThat(Ends.figures(up).over()).isEqualTo(LineCarrier.TCP);
    }

    @Test
    void cut_beforeAnyAnswer_repeatsWhatIsSafeAndEndsTheRest() throws Exception {
        LineServer server = ends.server(Ends.QUICK, null);
        try (Cutter wire = new Cutter(server.address())) {
            Line line = ends.line(wire.address(), Ends.QUICK, null);
            Heard safe = Ends.ask(line, Ends.get("/hold"), true);
            Heard unsafe = Ends.ask(line, Ends.head("POST", "/hold"), true);
            ends.answers.held.poll(180, TimeUnit.SECONDS);
            ends.answers.held.poll(180, TimeUnit.SECONDS);
            wire.cut();
            assertThat(unsafe.end().reason()).isEqualTo(StreamEnd.Reason.LOST);
            assertThat(answerAgain(safe).head().method()).hasToString("GET");
            assertThat(Ends.figures(line).repeated()).isPositive();
            assertThat(Ends.figures(line).connectionsLost()).isPositive();
        }
    }

    @Test
    void cut_midResponse_isReportedAndNotRepeated() throws Exception {
        LineServer server = ends.server(Ends.QUICK, null);
        try (Cutter wire = new Cutter(server.address())) {
            Line line = ends.line(wire.address(), Ends.QUICK, null);
            Heard response = Ends.ask(line, Ends.get("/hold"), true);
            Answers.Held held = ends.answers.held.poll(180, TimeUnit.SECONDS);
            held.stream().loop().execute(() -> {
                held.stream().head(Answers.ok(), false);
                held.stream().data(Unpooled.wrappedBuffer(new byte[] {1}), false);
            });
            await().until(() -> response.bytes == 1);
            wire.cut();
            assertThat(response.end().reason()).isEqualTo(StreamEnd.Reason.LOST);
            assertThat(held.heard().end().reason()).isEqualTo(StreamEnd.Reason.LOST);
            assertThat(Ends.figures(line).repeated()).isZero();
            // The line is up again.
            assertThat(Ends.ask(line, Ends.get("/bytes/9"), true).end())
                    .isEqualTo(StreamEnd.COMPLETE);
        }
    }

    @Test
    void cut_withABodyThatIsKept_sendsItAgain_longerOnesNot() throws Exception {
        LineServer server = ends.server(Ends.QUICK, null);
        try (Cutter wire = new Cutter(server.address())) {
            Line line = ends.line(wire.address(), Ends.QUICK, null);
            Heard small = Ends.ask(line, Ends.head("OPTIONS", "/hold"), false, true);
            Heard large = Ends.ask(line, Ends.head("OPTIONS", "/hold"), false, true);
            Ends.on(line, () -> {
                small.stream.data(Unpooled.wrappedBuffer(Answers.pattern(1_000)), true);
                large.stream.data(Unpooled.wrappedBuffer(Answers.pattern(70_000)), true);
                return true;
            });
            ends.answers.held.poll(180, TimeUnit.SECONDS);
            ends.answers.held.poll(180, TimeUnit.SECONDS);
            wire.cut();
            assertThat(large.end().reason()).isEqualTo(StreamEnd.Reason.LOST);
            Answers.Held repeated = answerAgain(small);
            assertThat(repeated.heard().body.toByteArray()).isEqualTo(Answers.pattern(1_000));
        }
    }

    /**
     * Answers each request that comes, until one response arrives: the request may be sent again on
     * a connection that is cut as well, and once more.
     */
    private Answers.Held answerAgain(Heard request) throws Exception {
        Answers.Held last = null;
        while (!request.end.isDone()) {
            Answers.Held repeated = ends.answers.held.poll(50, TimeUnit.MILLISECONDS);
            if (repeated != null) {
                last = repeated;
                // After its body, which the same loop reads.
                await().until(() -> repeated.heard().ended
                        || repeated.heard().end.isDone()
                        || "GET".contentEquals(repeated.head().method()));
                repeated.stream().loop().execute(() -> repeated.stream().head(Answers.ok(), true));
            }
        }
        assertThat(request.end()).isEqualTo(StreamEnd.COMPLETE);
        return last;
    }

    @Test
    void refused_byThePeer_isRepeatedWhateverTheMethod() throws Exception {
        Line line = ends.line(ends.server(Ends.QUICK, null).address(), Ends.QUICK, null);
        Heard response = Ends.ask(line, Ends.head("POST", "/refuse-once"), false, true);
        Ends.on(line, () -> {
            response.stream.data(Unpooled.wrappedBuffer(new byte[] {4}), true);
            return true;
        });
        assertThat(response.end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(ends.answers.refused).hasValue(2);
    }

    @Test
    void goAway_belowAStream_repeatsItOnANewConnection() throws Exception {
        try (RawPeer peer = new RawPeer()) {
            Line line = ends.line(peer.address(), Ends.QUICK.withConnections(1), null);
            Heard response = Ends.ask(line, Ends.head("POST", "/anything"), true);
            assertThat(response.status()).isEqualTo("200");
            assertThat(response.end()).isEqualTo(StreamEnd.COMPLETE);
            assertThat(peer.connections()).isEqualTo(2);
        }
    }

    @Test
    void silentPeer_isLostAfterTheTimeout() throws Exception {
        LineSettings sharp = Tuned.withTimes(
                Ends.QUICK,
                Duration.ofMillis(50),
                Duration.ofMillis(300),
                Duration.ofMillis(10),
                Duration.ofSeconds(60));
        LineServer server = ends.server(sharp, null);
        try (Cutter wire = new Cutter(server.address())) {
            Line line = ends.line(wire.address(), sharp, null);
            Heard response = Ends.ask(line, Ends.head("POST", "/hold"), true);
            ends.answers.held.poll(180, TimeUnit.SECONDS);
            wire.silence();
            assertThat(response.end().reason()).isEqualTo(StreamEnd.Reason.LOST);
            assertThat(response.end().detail()).contains("nothing received");
        }
    }

    /**
     * One connection goes silent, then the other: when the first is lost, the second is about to be
     * lost.
     */
    @Test
    void silentPeer_repeatedRequest_avoidsSilentConnection() throws Exception {
        LineSettings sharp = Tuned.withTimes(
                Ends.QUICK,
                Duration.ofMillis(50),
                Duration.ofSeconds(2),
                Duration.ofMillis(10),
                Duration.ofMillis(200));
        LineServer server = ends.server(sharp, null);
        try (Cutter wire = new Cutter(server.address())) {
            Line line = ends.line(wire.address(), sharp, null);
            await().until(() -> Ends.figures(line).connectionsMade() == 2);
            Heard one = Ends.ask(line, Ends.get("/hold"), true);
            Heard other = Ends.ask(line, Ends.get("/hold"), true);
            ends.answers.held.poll(180, TimeUnit.SECONDS);
            ends.answers.held.poll(180, TimeUnit.SECONDS);
            wire.silence(0);
            long response = received(line);
            await().until(() -> received(line) >= response + 6 * PING_BYTES);
            wire.silence();
            assertThat(one.end().reason()).isEqualTo(StreamEnd.Reason.NO_CONNECTION);
            assertThat(other.end().reason()).isEqualTo(StreamEnd.Reason.NO_CONNECTION);
            assertThat(Ends.figures(line).repeated()).as("each once").isEqualTo(2);
        }
    }

    private static long received(Line line) throws Exception {
        return Ends.figures(line).connections().stream()
                .mapToLong(ConnectionFigures::receivedBytes)
                .sum();
    }

    @Test
    void peerThatNeverSpeaks_isGivenUp_andAWaitingBodyIsBounded() throws Exception {
        try (ServerSocket deaf = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            LineSettings patient = Tuned.withTimes(
                    Ends.QUICK,
                    Duration.ofMillis(50),
                    Duration.ofMillis(300),
                    Duration.ofMillis(10),
                    Duration.ofMillis(300));
            Line line = ends.line((InetSocketAddress) deaf.getLocalSocketAddress(), patient, null);
            Heard response = Ends.ask(line, Ends.head("POST", "/echo"), false, true);
            int written = Ends.on(line, () -> {
                int count = 0;
                while (response.stream.isWritable()) {
                    response.stream.data(Unpooled.wrappedBuffer(new byte[10_000]), false);
                    count += 10_000;
                }
                return count;
            });
            assertThat(written).isBetween(SendWindow.BYTES, SendWindow.BYTES + 10_000);
            assertThat(response.end().reason()).isEqualTo(StreamEnd.Reason.NO_CONNECTION);
        }
    }

    @Test
    void noConnection_isReportedWithFigures() throws Exception {
        InetSocketAddress nobody;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = (InetSocketAddress) free.getLocalSocketAddress();
        }
        LineSettings hasty = Tuned.withTimes(
                Ends.QUICK,
                Duration.ofMillis(50),
                Duration.ofSeconds(60),
                Duration.ofMillis(10),
                Duration.ofMillis(200));
        Line line = ends.line(nobody, hasty, null);
        StreamEnd end = Ends.ask(line, Ends.get("/bytes/1"), true).end();
        assertThat(end.reason()).isEqualTo(StreamEnd.Reason.NO_CONNECTION);
        assertThat(end.isUntouched()).isTrue();
        assertThat(end.detail())
                .contains("peer.test", "after 200 ms", "up=0 of 2", "last failure: ");
    }

    @Test
    void drained_answersWhatIsUnderWay_andTheNextServerTakesOver() throws Exception {
        LineServer first = ends.server(Ends.QUICK, null);
        InetSocketAddress address = first.address();
        Line line = ends.line(address, Ends.QUICK, null);
        Heard under = Ends.ask(line, Ends.get("/hold"), true);
        Answers.Held held = ends.answers.held.poll(180, TimeUnit.SECONDS);
        await().until(() -> first.figures().connections().size() == 2);
        first.drain();
        await().until(() -> first.figures().connections().size() == 1);
        held.stream().loop().execute(() -> held.stream().head(Answers.ok(), true));
        assertThat(under.end()).isEqualTo(StreamEnd.COMPLETE);
        await().until(() -> first.figures().connections().isEmpty());
        ends.server(address, Ends.QUICK, null, ends.answers);
        assertThat(Ends.ask(line, Ends.head("POST", "/bytes/5"), true).end())
                .isEqualTo(StreamEnd.COMPLETE);
    }
}
