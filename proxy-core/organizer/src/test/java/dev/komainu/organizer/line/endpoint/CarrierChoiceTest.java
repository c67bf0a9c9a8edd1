package dev.komainu.organizer.line.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.endpoint.CarrierChoice.Traffic;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The carrier of a line for given traffic and loss, second by second. */
class CarrierChoiceTest {

    private static final long SEGMENT = 1_448;

    private long now = 7;
    private final CarrierChoice choice = new CarrierChoice(now);

    /**
     * Passes a megabyte a second with this loss, for so many seconds, or until the choice changes.
     *
     * @return whether it changed
     */
    private boolean pass(int seconds, double loss, long rttMillis) {
        for (int i = 0; i < seconds; i++) {
            now += TimeUnit.SECONDS.toNanos(1);
            if (choice.step(
                    now,
                    true,
                    new Traffic(1_000_000, Math.round(1_000_000 * loss), rttMillis * 1_000))) {
                return true;
            }
        }
        return false;
    }

    @Test
    void step_onePercentAtDistance_isQuicAfterSixPackets() {
        assertThat(choice.preferred()).isEqualTo(LineCarrier.TCP);
        assertThat(pass(3, 0.01, 200)).isTrue();
        assertThat(choice.preferred()).isEqualTo(LineCarrier.QUIC);
        assertThat(choice.why()).isEqualTo("1.00 % lost at 200 ms");
    }

    @Test
    void step_aTenthOfAPercent_orNothing_staysOnTcp() {
        assertThat(pass(300, 0, 200)).isFalse();
        assertThat(pass(300, 0.001, 200)).isFalse();
        assertThat(pass(300, 0.0029, 200)).isFalse();
        assertThat(choice.preferred()).isEqualTo(LineCarrier.TCP);
    }

    @Test
    void step_lossNearby_staysOnTcp() {
        assertThat(pass(300, 0.02, 19)).isFalse();
        assertThat(pass(300, 0.02, 0)).isFalse();
    }

    @Test
    void step_fewPackets_proveNothing() {
        // Five of eight packets are lost, and again when the first have nearly decayed.
        for (int i = 0; i < 3; i++) {
            now += TimeUnit.MINUTES.toNanos(2);
            assertThat(choice.step(now, true, new Traffic(8 * SEGMENT, 5 * SEGMENT, 200_000)))
                    .isFalse();
        }
    }

    @Test
    void step_peerWithoutQuic_staysOnTcp() {
        now += TimeUnit.SECONDS.toNanos(1);
        assertThat(choice.step(now, false, new Traffic(1_000_000, 50_000, 200_000)))
                .isFalse();
        // The peer offers QUIC from now on: earlier loss still counts.
        now += TimeUnit.SECONDS.toNanos(1);
        assertThat(choice.step(now, true, new Traffic(1_000_000, 50_000, 200_000)))
                .isTrue();
    }

    @Test
    void step_lossGone_isTcpAgain_butNotWithinAMinute() {
        pass(3, 0.01, 200);
        assertThat(pass(59, 0, 200)).isFalse();
        assertThat(pass(2, 0, 200)).isTrue();
        assertThat(choice.preferred()).isEqualTo(LineCarrier.TCP);
        assertThat(choice.why()).isEqualTo("0.00 % lost at 200 ms");
        assertThat(pass(59, 0.01, 200)).isFalse();
        assertThat(pass(2, 0.01, 200)).isTrue();
    }

    @Test
    void step_lossBetweenBothBounds_staysWhereItIs() {
        pass(3, 0.01, 200);
        assertThat(pass(600, 0.002, 200)).isFalse();
        assertThat(choice.preferred()).isEqualTo(LineCarrier.QUIC);
    }

    @Test
    void step_silence_provesNothing() {
        pass(3, 0.01, 200);
        now += TimeUnit.HOURS.toNanos(1);
        assertThat(choice.step(now, true, Traffic.NOTHING)).isFalse();
        assertThat(choice.preferred()).isEqualTo(LineCarrier.QUIC);
    }

    @Test
    void failed_waitsTwiceAsLongEachTime_upToSixteenMinutes() {
        for (int minutes : new int[] {1, 2, 4, 8, 16, 16}) {
            assertThat(pass(3, 0.01, 200)).isTrue();
            choice.failed(now, "UDP is filtered");
            assertThat(choice.preferred()).isEqualTo(LineCarrier.TCP);
            assertThat(choice.why()).isEqualTo("UDP is filtered");
            assertThat(pass(60 * minutes - 1, 0.01, 200)).isFalse();
        }
        assertThat(pass(3, 0.01, 200)).isTrue();
        choice.reached();
        choice.failed(now, "cut off later");
        assertThat(pass(59, 0.01, 200)).isFalse();
        assertThat(pass(2, 0.01, 200)).isTrue();
    }

    @Test
    void failed_whileOnTcp_changesNothing() {
        choice.failed(now, "too late");
        assertThat(choice.why()).isEqualTo("initial choice");
        assertThat(pass(3, 0.01, 200)).isTrue();
    }
}
