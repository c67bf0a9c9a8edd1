package dev.komainu.central.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests of a stream's times with a clock of their own. */
class StreamPaceTest {

    private static final Duration PROMISED = Duration.ofSeconds(15);

    private long now = 5;

    @Test
    void streamOfRevokedToken_whateverComes_isCheckedWithinFifteenSeconds() {
        // Events at any distance, and none: the longest time between two checks.
        for (Duration distance : new Duration[] {
            Duration.ofMillis(1), Duration.ofMillis(9_999), Duration.ofSeconds(14), null
        }) {
            StreamPace pace = new StreamPace(Duration.ofMinutes(5), () -> now);
            long last = now;
            for (int i = 0; i < 20_000 && now - last < PROMISED.toNanos() * 4; i++) {
                Duration patience = pace.patience();
                Duration slept =
                        distance == null || distance.compareTo(patience) > 0 ? patience : distance;
                now += slept.toNanos();
                if (pace.checkDue()) {
                    assertThat(Duration.ofNanos(now - last)).isLessThan(PROMISED);
                    last = now;
                }
            }
            assertThat(Duration.ofNanos(now - last)).isLessThan(PROMISED);
        }
    }

    @Test
    void heartbeat_isDueAfterItsTimeWithoutAnEvent_andOnlyThen() {
        StreamPace pace = new StreamPace(Duration.ofSeconds(3), () -> now);
        now += Duration.ofSeconds(2).toNanos();
        pace.written();
        now += Duration.ofSeconds(2).toNanos();
        assertThat(pace.heartbeatDue()).isFalse();

        now += pace.patience().toNanos();

        assertThat(pace.heartbeatDue()).isTrue();
    }
}
