package dev.komainu.organizer.line.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.ConnectionFigures;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.connection.LineConnection;
import dev.komainu.organizer.line.kit.Ends;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One of a line's connections that is paused and started again, like QUIC where a path loses
 * packets at times.
 */
class ReconnectingConnectionTest {

    private final Ends ends = new Ends();
    private final List<String> did = new ArrayList<>();
    private Line line;
    private ReconnectingConnection connection;

    @BeforeEach
    void setUp() throws Exception {
        try (ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            line = ends.line((InetSocketAddress) nobody.getLocalSocketAddress(), Ends.QUICK, null);
        }
        connection =
                new ReconnectingConnection(line, LineCarrier.TCP, dialling -> did.add("dialled"));
    }

    @AfterEach
    void tearDown() throws Exception {
        ends.close();
    }

    /** A connection that records its calls. */
    private final class RecordingConnection implements LineConnection {

        private final String name;

        RecordingConnection(String name) {
            this.name = name;
        }

        @Override
        public EventLoop loop() {
            return line.loop();
        }

        @Override
        public boolean isOverdue() {
            return false;
        }

        @Override
        public boolean hasRoom(int spare) {
            return true;
        }

        @Override
        public int streams() {
            return 1;
        }

        @Override
        public LineStream open(Http2Headers head, boolean ends, StreamListener events) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ConnectionFigures figures() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean offersQuic() {
            return false;
        }

        @Override
        public void drain() {
            did.add(name + " drains");
        }

        @Override
        public void close(StreamEnd how) {
            did.add(name + " closed");
            connection.gone(this, how.detail());
        }
    }

    private void onLoop(Runnable what) throws Exception {
        line.loop().submit(what).get(60, TimeUnit.SECONDS);
    }

    @Test
    void connection_pausedAndStartedWhileDialling_isSingle() throws Exception {
        onLoop(() -> {
            connection.start();
            connection.pause();
            connection.start();
            connection.dialled(new RecordingConnection("one"));
        });
        assertThat(did).containsExactly("dialled");
    }

    @Test
    void connection_pausedAndStartedBeforeNextAttempt_isSingle() throws Exception {
        CountDownLatch passed = new CountDownLatch(1);
        onLoop(() -> {
            connection.start();
            connection.failed("nobody there"); // schedules the next attempt
            connection.pause();
            connection.start();
            connection.dialled(new RecordingConnection("one"));
            // After that attempt.
            line.loop()
                    .schedule(
                            passed::countDown,
                            Ends.QUICK.backOff().toMillis() + 1,
                            TimeUnit.MILLISECONDS);
        });
        assertThat(passed.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(did).containsExactly("dialled", "dialled");
    }

    @Test
    void close_alsoClosesDrainingConnections() throws Exception {
        List<String> untilThen = new ArrayList<>();
        onLoop(() -> {
            connection.start();
            connection.dialled(new RecordingConnection("one"));
            connection.pause();
            connection.start();
            connection.dialled(new RecordingConnection("two"));
            connection.close();
            connection.close();
            // The line is not closed: it dials again soon.
            untilThen.addAll(did);
        });
        assertThat(untilThen)
                .containsExactly("dialled", "one drains", "dialled", "two closed", "one closed");
    }
}
