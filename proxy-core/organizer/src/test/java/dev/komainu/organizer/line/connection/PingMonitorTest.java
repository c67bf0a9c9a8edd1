package dev.komainu.organizer.line.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.kit.Tuned;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PingMonitorTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final PingMonitor monitor = new PingMonitor(
            Tuned.withTimes(
                    LineSettings.DEFAULT,
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(2),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1)),
            0);

    @Test
    void beat_whilePingsAreAnswered_measuresThem() {
        assertThat(monitor.tick(SECOND, true)).isEqualTo(PingMonitor.Action.PING);
        monitor.answered(SECOND, SECOND + 80_000_000);
        assertThat(monitor.rttMicros()).isEqualTo(80_000);
        assertThat(monitor.tick(2 * SECOND, true)).isEqualTo(PingMonitor.Action.PING);
        monitor.answered(2 * SECOND, 2 * SECOND + 40_000_000);
        assertThat(monitor.rttMicros()).isEqualTo(75_000);
        assertThat(monitor.leastRttMicros()).isEqualTo(40_000);
    }

    @Test
    void beat_silenceBehindAPing_isLost_butAnyByteIsALife() {
        assertThat(monitor.tick(SECOND, true)).isEqualTo(PingMonitor.Action.PING);
        assertThat(monitor.tick(3 * SECOND, true)).isEqualTo(PingMonitor.Action.WAIT);
        monitor.received(3 * SECOND);
        assertThat(monitor.tick(5 * SECOND, true)).isEqualTo(PingMonitor.Action.WAIT);
        assertThat(monitor.tick(5 * SECOND + 1, true)).isEqualTo(PingMonitor.Action.LOST);
    }

    @Test
    void silenceForHalfTheTime_isOverdue_andAByteMendsIt() {
        assertThat(monitor.isOverdue(100 * SECOND)).as("nothing was asked").isFalse();
        monitor.tick(100 * SECOND, true);
        assertThat(monitor.isOverdue(101 * SECOND)).isFalse();
        assertThat(monitor.isOverdue(101 * SECOND + 1)).isTrue();
        monitor.received(101 * SECOND + 1);
        assertThat(monitor.isOverdue(101 * SECOND + 2)).isFalse();
    }

    @Test
    void beat_thatComesLate_isNoSilenceOfThePeer() {
        assertThat(monitor.tick(SECOND, true)).isEqualTo(PingMonitor.Action.PING);
        // This side was paused for 60 s: it waits the full time before it gives up.
        assertThat(monitor.tick(61 * SECOND, true)).isEqualTo(PingMonitor.Action.WAIT);
        assertThat(monitor.tick(62 * SECOND, true)).isEqualTo(PingMonitor.Action.LOST);
    }

    @Test
    void beat_longQuietWithoutAPing_isNoSilence() {
        assertThat(monitor.tick(100 * SECOND, true)).isEqualTo(PingMonitor.Action.PING);
        assertThat(monitor.tick(101 * SECOND, true)).isEqualTo(PingMonitor.Action.WAIT);
    }

    @Test
    void beat_beforeThePeersFirstFrame_waitsForTheTimeToConnect() {
        assertThat(monitor.tick(3 * SECOND, false)).isEqualTo(PingMonitor.Action.WAIT);
        assertThat(monitor.tick(3 * SECOND + 1, false)).isEqualTo(PingMonitor.Action.LOST);
    }

    @Test
    void answered_withoutPing_isNotMeasured() {
        monitor.answered(0, SECOND);
        assertThat(monitor.tick(SECOND, true)).isEqualTo(PingMonitor.Action.PING);
        monitor.answered(7, 2 * SECOND);
        assertThat(monitor.rttMicros()).isZero();
    }
}
