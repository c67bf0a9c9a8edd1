package dev.komainu.agent.packet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sockets of a kernel that assigns group numbers as Linux does (packet_fanout: the next free one
 * from a counter that begins at 0).
 */
class PacketFanoutTest {

    private static final int UNIQUE_ID = 0x2000 << 16;

    private int nextFree;

    /** The first group after a boot has the number 0: two groups would each see all packets. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_535})
    void join_anyNumberOfTheKernels_allComeIntoOneGroup(int number) {
        nextFree = number;
        List<Socket> sockets =
                IntStream.range(0, 4).mapToObj(i -> new Socket(0)).toList();
        assertThat(PacketFanout.joinOne(sockets)).isNull();
        assertThat(sockets).extracting(socket -> socket.group).containsOnly(number);
    }

    @Test
    void join_refused_returnsInterfaceAndReason() {
        assertThat(PacketFanout.joinOne(List.of(new Socket(22), new Socket(0))))
                .contains("eth9")
                .contains("errno 22");
        List<Socket> later = new ArrayList<>(List.of(new Socket(0), new Socket(1)));
        assertThat(PacketFanout.joinOne(later)).contains("errno 1)");
    }

    private final class Socket implements PacketFanout.Member {

        private final int refusal;
        private int group = -2;

        private Socket(int refusal) {
            this.refusal = refusal;
        }

        @Override
        public int join(int value) {
            if (refusal == 0) {
                group = (value & UNIQUE_ID) == 0 ? value & 0xffff : nextFree++;
            }
            return refusal;
        }

        @Override
        public int group() {
            return group;
        }

        @Override
        public String name() {
            return "eth9";
        }
    }
}
