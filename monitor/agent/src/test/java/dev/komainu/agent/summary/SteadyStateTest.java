package dev.komainu.agent.summary;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.FrameSink;
import dev.komainu.agent.packet.LinkType;
import dev.komainu.agent.packet.PacketSource;
import dev.komainu.agent.packet.Talk;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Steady state: while connections are open, packets allocate no memory; they are counted in
 * existing rows.
 */
class SteadyStateTest {

    @Test
    void run_longReplayOfOpenConnections_allocatesNothingForAPacket() {
        KeptAlive source = new KeptAlive();

        Analysis analysis = Analysis.of(
                source, AnalyzerConfig.file(Set.of()), Object::toString, Duration.ofDays(1));

        assertThat(analysis.connections()).hasSize(KeptAlive.CONNECTIONS).allSatisfy(it -> {
            assertThat(it.exchanges().size() + it.exchangesLeftOut())
                    .isEqualTo(KeptAlive.WARM_EXCHANGES + KeptAlive.EXCHANGES);
            assertThat(it.exchanges().getFirst().status()).isEqualTo(200);
        });
        assertThat((double) source.allocatedBytes / source.packets)
                .as("bytes allocated for each of %d packets", source.packets)
                .isLessThan(1.0);
    }

    /**
     * Keep-alive connections: a request, a response in two segments, an acknowledgement, again and
     * again.
     */
    private static final class KeptAlive implements PacketSource {

        static final int CONNECTIONS = 50;
        /** More than a record keeps, so that rows are reused. */
        static final int WARM_EXCHANGES = 1_200;

        static final int EXCHANGES = 1_000;

        private static final ValueLayout.OfInt NUMBER =
                ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
        private static final long SEQUENCE_AT = 14 + 20 + 4;
        private static final long ACKNOWLEDGEMENT_AT = SEQUENCE_AT + 4;

        private final List<Client> clients = new ArrayList<>();
        private long micros = Talk.START;
        long allocatedBytes;
        long packets;

        private final class Client {
            final MemorySegment request;
            final MemorySegment head;
            final MemorySegment body;
            final MemorySegment acknowledgement;
            int up;
            int down;

            Client(Arena arena, int number, FrameSink sink) {
                Talk talk = new Talk(
                        "10.0.0.1:" + (40_000 + number),
                        "10.0.0.2:80",
                        number,
                        -number,
                        new ArrayList<>());
                talk.handshake();
                talk.frames().forEach(frame -> deliver(sink, copy(arena, frame)));
                up = talk.clientNext;
                down = talk.serverNext;
                request = copy(arena, talk.get("/a/page?of=many").last());
                head = copy(
                        arena,
                        talk.answer("HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 900\r\n\r\n")
                                .last());
                body = copy(arena, talk.answer("x".repeat(900)).last());
                acknowledgement = copy(arena, talk.up(Talk.ACK, "").last());
            }

            private MemorySegment copy(Arena arena, Frame frame) {
                MemorySegment memory = arena.allocate(frame.bytes().length);
                MemorySegment.copy(
                        frame.bytes(), 0, memory, ValueLayout.JAVA_BYTE, 0, frame.bytes().length);
                return memory;
            }

            void exchange(FrameSink sink) {
                up += send(sink, request, up, down);
                down += send(sink, head, down, up);
                down += send(sink, body, down, up);
                send(sink, acknowledgement, up, down);
            }

            private int send(FrameSink sink, MemorySegment frame, int sequence, int acknowledged) {
                frame.set(NUMBER, SEQUENCE_AT, sequence);
                frame.set(NUMBER, ACKNOWLEDGEMENT_AT, acknowledged);
                deliver(sink, frame);
                return (int) frame.byteSize() - 14 - 20 - 20;
            }
        }

        private void deliver(FrameSink sink, MemorySegment frame) {
            packets++;
            micros += 10;
            int length = (int) frame.byteSize();
            sink.frame(micros, LinkType.ETHERNET, frame, 0, length, length);
        }

        @Override
        public void run(FrameSink sink) {
            try (Arena arena = Arena.ofConfined()) {
                for (int number = 0; number < CONNECTIONS; number++) {
                    clients.add(new Client(arena, number, sink));
                }
                exchanges(sink, WARM_EXCHANGES);
                ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
                long before = threads.getCurrentThreadAllocatedBytes();
                packets = 0;
                exchanges(sink, EXCHANGES);
                allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;
            }
        }

        private void exchanges(FrameSink sink, int count) {
            for (int i = 0; i < count; i++) {
                for (int client = 0; client < CONNECTIONS; client++) {
                    clients.get(client).exchange(sink);
                }
            }
        }

        @Override
        public void stop() {}

        @Override
        public long delivered() {
            return packets;
        }

        @Override
        public long dropped() {
            return 0;
        }

        @Override
        public void close() {}
    }
}
