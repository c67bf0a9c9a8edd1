package dev.komainu.agent.packet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DuplicateFilterTest {

    private final List<Integer> passed = new ArrayList<>();
    private final DuplicateFilter filter =
            new DuplicateFilter(segment -> passed.add(segment.sequence));

    @Test
    void segment_atAnotherInterfaceSoonAfter_isLeftOut() {
        see(0, 0, 100, 1, 7);
        see(40, 1, 100, 1, 7);
        see(90, 2, 100, 1, 7);

        assertThat(passed).containsExactly(100);
        assertThat(filter.count()).isEqualTo(2);
    }

    @Test
    void segment_blocksOfTwoRingsOneAfterTheOther_eachOnce() {
        for (int networkInterface = 0; networkInterface < 2; networkInterface++) {
            for (int i = 0; i < 20_000; i++) {
                see(i * 5 + networkInterface * 3, networkInterface, i * 10, 1, i & 0xffff | 1);
            }
        }
        // Some lines overflow; an evicted entry counts as new.
        assertThat(passed.size()).isBetween(20_000, 21_000);
    }

    @Test
    void segment_sameInterface_isTheSameOnlyWithItsIdentificationOrSyn() {
        see(0, 0, 100, TcpSegment.ACK, 7);
        see(100, 0, 100, TcpSegment.ACK, 7);
        see(200, 0, 200, TcpSegment.ACK, 0);
        see(300, 0, 200, TcpSegment.ACK, 0);
        see(400, 0, 300, TcpSegment.SYN, 0);
        see(500, 0, 300, TcpSegment.SYN, 0);

        assertThat(passed).containsExactly(100, 200, 200, 300);
    }

    @Test
    void segment_realRetransmission_passes() {
        see(0, 0, 100, TcpSegment.ACK, 7);
        see(200, 0, 100, TcpSegment.ACK, 8);
        see(DuplicateFilter.WITHIN_MICROS + 1, 1, 100, TcpSegment.ACK, 7);

        assertThat(passed).hasSize(3);
    }

    @Test
    void segment_otherAcknowledgementWindowOrLength_passes() {
        TcpSegment segment = segment(0, 0, 100, TcpSegment.ACK, 0);
        filter.segment(segment);
        segment.networkInterface = 1;
        segment.window = 5;
        filter.segment(segment);
        segment.acknowledgement = 6;
        filter.segment(segment);
        segment.payloadLength = 7;
        filter.segment(segment);
        segment.targetHigh = 8;
        filter.segment(segment);

        assertThat(passed).hasSize(5);
        assertThat(filter.count()).isZero();
    }

    private void see(
            long micros, int networkInterface, int sequence, int flags, int identification) {
        filter.segment(segment(micros, networkInterface, sequence, flags, identification));
    }

    private static TcpSegment segment(
            long micros, int networkInterface, int sequence, int flags, int identification) {
        TcpSegment segment = new TcpSegment();
        segment.micros = Talk.START + micros;
        segment.networkInterface = networkInterface;
        segment.sourceLow = 0xffff_0a00_0001L;
        segment.targetLow = 0xffff_0a00_0002L;
        segment.sourcePort = 40_000;
        segment.targetPort = 80;
        segment.sequence = sequence;
        segment.flags = flags;
        segment.identification = identification;
        return segment;
    }
}
