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
 * One of a line's connections that rests and begins again, as QUIC does where a path loses now and
 * again.
 */
class ReconnectingConnectionTest {

    private final Ends ends = new Ends();
    private final List<String> did = new ArrayList<>();
    private Line line;
    private ReconnectingConnection strand;

    @BeforeEach
    void make() throws Exception {
        try (ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            line = ends.line((InetSocketAddress) nobody.getLocalSocketAddress(), Ends.QUICK, null);
        }
        strand = new ReconnectingConnection(line, LineCarrier.TCP, dialling -> did.add("dialled"));
    }

    @AfterEach
    void stop() throws Exception {
        ends.close();
    }

    /** A connection that notes what becomes of it. */
    private final class Noted implements LineConnection {

        private final String name;

        Noted(String name) {
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
            strand.gone(this, how.detail());
        }
    }

    private void onLoop(Runnable what) throws Exception {
        line.loop().submit(what).get(60, TimeUnit.SECONDS);
    }

    @Test
    void strand_thatRestsAndBeginsWhileItDials_hasOneConnection() throws Exception {
        onLoop(() -> {
            strand.begin();
            strand.rest();
            strand.begin();
            strand.dialled(new Noted("one"));
        });
        assertThat(did).containsExactly("dialled");
    }

    @Test
    void strand_thatRestsAndBeginsBeforeItsNextAttempt_hasOneConnection() throws Exception {
        CountDownLatch passed = new CountDownLatch(1);
        onLoop(() -> {
            strand.begin();
            strand.failed("nobody there"); // tries again soon
            strand.rest();
            strand.begin();
            strand.dialled(new Noted("one"));
            // Behind that attempt.
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
    void strand_thatIsClosed_closesWhatLeaves() throws Exception {
        List<String> untilThen = new ArrayList<>();
        onLoop(() -> {
            strand.begin();
            strand.dialled(new Noted("one"));
            strand.rest();
            strand.begin();
            strand.dialled(new Noted("two"));
            strand.close();
            strand.close();
            // Its line is not closed: soon it dials again.
            untilThen.addAll(did);
        });
        assertThat(untilThen)
                .containsExactly("dialled", "one drains", "dialled", "two closed", "one closed");
    }
}
