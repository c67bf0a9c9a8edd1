package dev.komainu.organizer.line.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.kit.Tuned;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PingMonitorTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final PingMonitor pulse = new PingMonitor(
            Tuned.withTimes(
                    LineSettings.DEFAULT,
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(2),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1)),
            0);

    @Test
    void beat_whilePingsAreAnswered_measuresThem() {
        assertThat(pulse.beat(SECOND, true)).isEqualTo(PingMonitor.Deed.PING);
        pulse.answered(SECOND, SECOND + 80_000_000);
        assertThat(pulse.rttMicros()).isEqualTo(80_000);
        assertThat(pulse.beat(2 * SECOND, true)).isEqualTo(PingMonitor.Deed.PING);
        pulse.answered(2 * SECOND, 2 * SECOND + 40_000_000);
        assertThat(pulse.rttMicros()).isEqualTo(75_000);
        assertThat(pulse.leastRttMicros()).isEqualTo(40_000);
    }

    @Test
    void beat_silenceBehindAPing_isLost_butAnyByteIsALife() {
        assertThat(pulse.beat(SECOND, true)).isEqualTo(PingMonitor.Deed.PING);
        assertThat(pulse.beat(3 * SECOND, true)).isEqualTo(PingMonitor.Deed.WAIT);
        pulse.heard(3 * SECOND);
        assertThat(pulse.beat(5 * SECOND, true)).isEqualTo(PingMonitor.Deed.WAIT);
        assertThat(pulse.beat(5 * SECOND + 1, true)).isEqualTo(PingMonitor.Deed.LOST);
    }

    @Test
    void silenceForHalfTheTime_isOverdue_andAByteMendsIt() {
        assertThat(pulse.isOverdue(100 * SECOND)).as("nothing was asked").isFalse();
        pulse.beat(100 * SECOND, true);
        assertThat(pulse.isOverdue(101 * SECOND)).isFalse();
        assertThat(pulse.isOverdue(101 * SECOND + 1)).isTrue();
        pulse.heard(101 * SECOND + 1);
        assertThat(pulse.isOverdue(101 * SECOND + 2)).isFalse();
    }

    @Test
    void beat_thatComesLate_isNoSilenceOfThePeer() {
        assertThat(pulse.beat(SECOND, true)).isEqualTo(PingMonitor.Deed.PING);
        // This side stood still for 60 s: it listens for as long as ever before it gives up.
        assertThat(pulse.beat(61 * SECOND, true)).isEqualTo(PingMonitor.Deed.WAIT);
        assertThat(pulse.beat(62 * SECOND, true)).isEqualTo(PingMonitor.Deed.LOST);
    }

    @Test
    void beat_longQuietWithoutAPing_isNoSilence() {
        assertThat(pulse.beat(100 * SECOND, true)).isEqualTo(PingMonitor.Deed.PING);
        assertThat(pulse.beat(101 * SECOND, true)).isEqualTo(PingMonitor.Deed.WAIT);
    }

    @Test
    void beat_beforeThePeersFirstFrame_waitsForTheTimeToConnect() {
        assertThat(pulse.beat(3 * SECOND, false)).isEqualTo(PingMonitor.Deed.WAIT);
        assertThat(pulse.beat(3 * SECOND + 1, false)).isEqualTo(PingMonitor.Deed.LOST);
    }

    @Test
    void answered_whatWasNeverAsked_isNoMeasurement() {
        pulse.answered(0, SECOND);
        assertThat(pulse.beat(SECOND, true)).isEqualTo(PingMonitor.Deed.PING);
        pulse.answered(7, 2 * SECOND);
        assertThat(pulse.rttMicros()).isZero();
    }
}
