package dev.komainu.organizer.line.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CongestionChoiceTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final CongestionChoice choice = new CongestionChoice(0);
    private long now;
    private long sent;
    private long lost;
    private long rttMicros = 52_000;

    /** A second of traffic with this loss. */
    private boolean second(long bytes, long ofThese) {
        now += SECOND;
        sent += bytes;
        lost += ofThese;
        return choice.step(now, sent, lost, rttMicros, 50_000);
    }

    @Test
    void withoutLoss_isCubic_howeverMuchIsSent() {
        for (int i = 0; i < 300; i++) {
            assertThat(second(10_000_000, 0)).isFalse();
        }
        assertThat(choice.preferred()).isEqualTo("cubic");
    }

    @Test
    void fewLost_decideNothing() {
        assertThat(second(100_000, 3 * 1_448)).isFalse();
        assertThat(choice.preferred()).isEqualTo("cubic");
    }

    @Test
    void oneInAThousandLost_isBbr_andStaysSoForAMinuteAtLeast() {
        assertThat(second(5_000_000, 2_000)).as("less than that").isFalse();
        assertThat(second(1_000_000, 10_000)).isTrue();
        assertThat(choice.preferred()).isEqualTo("bbr");
        for (int i = 0; i < 59; i++) {
            assertThat(second(1_000_000, 0)).isFalse();
        }
        assertThat(second(1_000_000, 0)).isTrue();
        assertThat(choice.preferred()).isEqualTo("cubic");
    }

    @Test
    void lossBehindAQueue_isNotThePaths() {
        rttMicros = 130_000;
        for (int i = 0; i < 30; i++) {
            assertThat(second(1_000_000, 50_000)).isFalse();
        }
        rttMicros = 52_000;
        assertThat(second(1_000_000, 0)).as("nor afterwards").isFalse();
        assertThat(second(1_000_000, 50_000)).isTrue();
    }

    @Test
    void queueOverflow_emptyWhenLossIsReported_isNotCounted() {
        for (int i = 0; i < 20; i++) {
            rttMicros = 130_000;
            assertThat(second(1_000_000, 0)).isFalse();
            rttMicros = 52_000;
            assertThat(second(1_000_000, 50_000)).isFalse();
        }
        assertThat(second(1_000_000, 50_000))
                .as("the next second, without a queue")
                .isTrue();
    }

    @Test
    void lossThatGoesOn_keepsBbr_andSilenceDecidesNothing() {
        second(1_000_000, 10_000);
        for (int i = 0; i < 200; i++) {
            assertThat(second(1_000_000, 1_000)).isFalse();
        }
        for (int i = 0; i < 600; i++) {
            assertThat(second(0, 0)).isFalse();
        }
        assertThat(choice.preferred()).isEqualTo("bbr");
    }
}
