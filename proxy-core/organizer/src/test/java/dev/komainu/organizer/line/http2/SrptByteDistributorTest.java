package dev.komainu.organizer.line.http2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.connection.SendPriority;
import dev.komainu.organizer.line.connection.SendScheduler;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.StreamByteDistributor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SrptByteDistributorTest {

    private static final int K = 1024;

    private final DefaultHttp2Connection connection = new DefaultHttp2Connection(true);
    private final SrptByteDistributor order = new SrptByteDistributor(connection);
    private final Map<Integer, Sender> senders = new HashMap<>();
    private final List<Integer> written = new ArrayList<>();
    private int next = 1;

    SrptByteDistributorTest() {
        connection.remote().flowController(new DefaultHttp2RemoteFlowController(connection, order));
        window(1 << 30);
    }

    private void window(int bytes) {
        try {
            Http2Stream all = connection.connectionStream();
            int now = connection.remote().flowController().windowSize(all);
            connection.remote().flowController().incrementWindowSize(all, bytes - now);
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
    }

    /** A stream with bytes to send, as the flow controller reports it. */
    private final class Sender implements StreamByteDistributor.StreamState {

        private final Http2Stream stream;
        private long left;
        private int window = 1 << 30;

        Sender(int rank, long length, long left) {
            try {
                stream = connection.remote().createStream(next, false);
            } catch (Http2Exception e) {
                throw new AssertionError(e);
            }
            next += 2;
            this.left = left;
            senders.put(stream.id(), this);
            order.setLength(stream, rank, length);
            order.updateStreamableBytes(this);
        }

        @Override
        public Http2Stream stream() {
            return stream;
        }

        @Override
        public long pendingBytes() {
            return left;
        }

        @Override
        public boolean hasFrame() {
            return left > 0;
        }

        @Override
        public int windowSize() {
            return window;
        }
    }

    /**
     * Distributes bytes.
     *
     * @return the senders, one entry for each frame
     */
    private List<Integer> distribute(int most) {
        written.clear();
        try {
            order.distribute(most, (stream, bytes) -> {
                Sender sender = senders.get(stream.id());
                assertThat(bytes)
                        .isBetween(0, SendScheduler.FRAME)
                        .isLessThanOrEqualTo(sender.window);
                sender.left -= bytes;
                sender.window -= bytes;
                written.add(stream.id());
                order.updateStreamableBytes(sender);
            });
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
        return written;
    }

    private static int id(Sender sender) {
        return sender.stream.id();
    }

    @Test
    void distribute_aSmallObjectBehindALargeOne_isNext() {
        Sender large = new Sender(SendPriority.USUAL, 10_000 * K, 10_000 * K);
        distribute(64 * K);
        Sender small = new Sender(SendPriority.USUAL, 10 * K, 10 * K);
        assertThat(distribute(16 * K).getFirst()).isEqualTo(id(small));
        assertThat(small.left).isZero();
        assertThat(large.left).isPositive();
    }

    @Test
    void ranks_changedWhileItWaits_isAsUrgentAsTheOthers() {
        Sender large = new Sender(SendPriority.USUAL, 10_000 * K, 10_000 * K);
        Sender promised = new Sender(SendPriority.USUAL + 1, 10 * K, 10 * K);
        assertThat(distribute(16 * K)).containsExactly(id(large));
        order.setRank(promised.stream, SendPriority.USUAL);
        assertThat(distribute(10 * K)).containsExactly(id(promised));
        assertThat(promised.left).isZero();
        assertThat(distribute(16 * K)).containsExactly(id(large));
    }

    @Test
    void distribute_equals_takeTurns() {
        Sender one = new Sender(SendPriority.USUAL, 1_000 * K, 1_000 * K);
        Sender other = new Sender(SendPriority.USUAL, 1_000 * K, 1_000 * K);
        assertThat(distribute(64 * K)).containsExactly(id(one), id(other), id(one), id(other));
    }

    @Test
    void distribute_urgency_goesBeforeSize_andControlBeforeAll() {
        Sender small = new Sender(SendPriority.USUAL, K, K);
        Sender urgent = new Sender(SendPriority.rank("u=1"), 200 * K, 16 * K);
        Sender control = new Sender(SendPriority.CONTROL, -1, 2 * K);
        assertThat(distribute(64 * K)).containsExactly(id(control), id(urgent), id(small));
    }

    @Test
    void distribute_anUnknownLength_growsOldAsItIsSent() {
        Sender unknown = new Sender(SendPriority.USUAL, -1, 1_000 * K);
        distribute(320 * K);
        Sender known = new Sender(SendPriority.USUAL, 200 * K, 200 * K);
        assertThat(distribute(32 * K)).containsExactly(id(known), id(known));
        assertThat(unknown.left).isPositive();
    }

    @Test
    void distribute_largeOnesUnderEndlessSmallOnes_getTheirTurn() {
        Sender large = new Sender(SendPriority.USUAL, 10_000 * K, 10_000 * K);
        int turns = 0;
        for (int i = 0; i < 80; i++) {
            new Sender(SendPriority.USUAL, 16 * K, 16 * K);
            turns += (int)
                    distribute(16 * K).stream().filter(id -> id == id(large)).count();
        }
        assertThat(turns).isEqualTo(10);
    }

    @Test
    void distribute_theLastOfTheWindow_isControlsAlone() {
        window(SendScheduler.RESERVED + 20 * K);
        Sender data = new Sender(SendPriority.USUAL, -1, 100 * K);
        distribute(SendScheduler.RESERVED + 20 * K);
        assertThat(data.left).isEqualTo(80 * K);
        window(SendScheduler.RESERVED);
        Sender control = new Sender(SendPriority.CONTROL, -1, 10 * K);
        assertThat(distribute(SendScheduler.RESERVED)).containsOnly(id(control));
        assertThat(control.left).isZero();
        assertThat(data.left).isEqualTo(80 * K);
    }

    @Test
    void distribute_aStreamWithoutWindow_isPassedOver() {
        Sender shut = new Sender(SendPriority.USUAL, K, K);
        shut.window = 0;
        order.updateStreamableBytes(shut);
        Sender open = new Sender(SendPriority.USUAL, 1_000 * K, 20 * K);
        distribute(1_000 * K);
        assertThat(open.left).isZero();
        assertThat(shut.left).isEqualTo(K);
        shut.window = 5 * K;
        order.updateStreamableBytes(shut);
        distribute(1_000 * K);
        assertThat(shut.left).isZero();
    }

    @Property(tries = 40)
    void distribute_whateverWaits_allIsSentInTheEnd(
            @ForAll @Size(min = 1, max = 30) List<@IntRange(min = 1, max = 300_000) Integer> sizes,
            @ForAll @IntRange(min = 5_000, max = 200_000) int step,
            @ForAll @IntRange(min = 0, max = 8) int rank) {
        List<Sender> all = new ArrayList<>();
        long sum = 0;
        for (int i = 0; i < sizes.size(); i++) {
            all.add(new Sender(
                    (rank + i) % SendPriority.RANKS, i % 3 == 0 ? -1 : sizes.get(i), sizes.get(i)));
            sum += sizes.get(i);
        }
        long rounds = sum / step + 1;
        for (long round = 0; round < rounds; round++) {
            long before = all.stream().mapToLong(sender -> sender.left).sum();
            distribute(step);
            long after = all.stream().mapToLong(sender -> sender.left).sum();
            assertThat(before - after).isEqualTo(Math.min(step, before));
        }
        assertThat(all).allMatch(sender -> sender.left == 0);
        all.forEach(sender -> senders.remove(id(sender)));
    }
}
