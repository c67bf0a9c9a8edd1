package dev.komainu.agent.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.FrameDecoder;
import dev.komainu.agent.packet.LinkType;
import dev.komainu.agent.packet.Talk;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * A flood of half-open connections against the agent's live settings: the table stays within its
 * cap, every evicted connection is counted, and real connections are recorded as without a flood.
 * Its {@code main} runs it in a heap as small as the agent's.
 */
class SynFloodTest {

    private static final int AGENTS_HEAP = 32 << 20;
    private static final int TALKERS = 50;

    /** Result of a flood. */
    private record Outcome(
            int cap,
            int most,
            long evicted,
            long halfOpen,
            List<ConnectionRecord> talkers,
            int rowsLeft) {}

    /** {@code java -Xmx32m -cp … dev.komainu.agent.connection.SynFloodTest 1000000} */
    public static void main(String[] args) {
        Outcome outcome = flood(Integer.parseInt(args[0]), AnalyzerConfig.live(Set.of(80)));
        System.out.printf(
                "cap %d, most followed %d, evicted %d, half-open records %d, talkers %d (%d requests answered), rows left %d%n",
                outcome.cap,
                outcome.most,
                outcome.evicted,
                outcome.halfOpen,
                outcome.talkers.size(),
                outcome.talkers.stream()
                        .mapToInt(talker -> talker.exchanges().size())
                        .sum(),
                outcome.rowsLeft);
    }

    @Test
    void hundredThousandHalfOpen_staysBelowTheCapAndTalkersAreRecordedExactly() {
        AnalyzerConfig config = AnalyzerConfig.live(Set.of(80))
                .withMaxConnections(AnalyzerConfig.connectionsIn(AGENTS_HEAP));
        Outcome outcome = flood(100_000, config);
        assertThat(outcome.most).isEqualTo(outcome.cap);
        assertThat(outcome.halfOpen).isEqualTo(100_000);
        assertThat(outcome.evicted).isEqualTo(100_000 - outcome.cap + TALKERS);
        assertThat(outcome.rowsLeft).isZero();
        assertThat(outcome.talkers).hasSize(TALKERS).allSatisfy(talker -> {
            assertThat(talker.state()).isEqualTo(ConnectionState.NORMAL);
            assertThat(talker.exchanges()).hasSize(10).allSatisfy(exchange -> {
                assertThat(exchange.status()).isEqualTo(200);
                assertThat(exchange.responseMicros()).isEqualTo(1_000);
            });
        });
    }

    private static Outcome flood(int size, AnalyzerConfig config) {
        long[] halfOpen = {0};
        List<ConnectionRecord> talkers = new ArrayList<>();
        ConnectionAnalyzer analyzer = new ConnectionAnalyzer(
                config, new ServiceNumbers(Object::toString), new ConnectionListener() {
                    @Override
                    public void finished(ConnectionRecord record) {
                        if (record.state() == ConnectionState.HALF_OPEN) {
                            halfOpen[0]++;
                        } else {
                            talkers.add(record);
                        }
                    }
                });
        FrameDecoder decoder = new FrameDecoder(analyzer);
        int most = 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(2_048);
            List<Frame> open = new ArrayList<>();
            new Talk("0.0.0.0:1024", "10.0.0.2:80", 1, 2, open)
                    .up(Talk.SYN, "")
                    .down(Talk.SYN | Talk.ACK, "");
            // Every real client's handshake, then ten requests spread
            // over the flood, then its close.
            List<List<Frame>> conversations = new ArrayList<>();
            for (int i = 0; i < TALKERS; i++) {
                Talk talk = new Talk(
                                "192.168.0.1:" + (2_000 + i),
                                "10.0.0.2:80",
                                i,
                                -i,
                                new ArrayList<>())
                        .handshake();
                for (int request = 0; request < 10; request++) {
                    talk.get("/" + request).ok("here");
                }
                conversations.add(talk.closeByClient().frames());
            }
            int steps = conversations.getFirst().size();
            int step = 0;
            long micros = Talk.START;
            for (int i = 0; i < size; i++) {
                if ((long) i * steps / size >= step) {
                    for (List<Frame> conversation : conversations) {
                        Frame frame = conversation.get(step);
                        send(decoder, memory, frame.bytes(), Talk.START + step * 1_000L);
                    }
                    micros = Talk.START + step * 1_000L;
                    step++;
                }
                for (Frame frame : open) {
                    byte[] bytes = frame.bytes();
                    ByteBuffer.wrap(bytes)
                            .putInt(frame == open.getFirst() ? 26 : 30, 0x0b000000 + i);
                    send(decoder, memory, bytes, micros);
                }
                most = Math.max(most, analyzer.following());
            }
            for (; step < steps; step++) {
                for (List<Frame> conversation : conversations) {
                    send(
                            decoder,
                            memory,
                            conversation.get(step).bytes(),
                            Talk.START + step * 1_000L);
                }
            }
        }
        analyzer.flush();
        return new Outcome(
                config.maxConnections(),
                most,
                analyzer.counts().evicted(),
                halfOpen[0],
                talkers,
                analyzer.rowsInUse());
    }

    private static void send(
            FrameDecoder decoder, MemorySegment memory, byte[] bytes, long micros) {
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
        decoder.frame(micros, LinkType.ETHERNET, memory, 0, bytes.length, bytes.length);
    }
}
