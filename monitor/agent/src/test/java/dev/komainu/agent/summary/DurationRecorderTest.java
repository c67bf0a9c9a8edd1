package dev.komainu.agent.summary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.Distribution;
import org.junit.jupiter.api.Test;

class DurationRecorderTest {

    private final DurationRecorder recorder = new DurationRecorder();

    @Test
    void take_eachWindow_hasItsOwnValues() {
        assertThat(recorder.isEmpty()).isTrue();
        assertThat(recorder.take()).isEqualTo(Distribution.empty());
        recorder.record(1_000);
        recorder.record(Long.MAX_VALUE);
        assertThat(recorder.isEmpty()).isFalse();
        assertThat(recorder.take().toHistogram().getMaxValue())
                .isGreaterThanOrEqualTo(Distribution.MAX_MICROS);
        recorder.record(2_000);
        Distribution second = recorder.take();
        assertThat(second.count()).isEqualTo(1);
        assertThat(second.toHistogram().getValueAtPercentile(50)).isBetween(1_990L, 2_020L);
        assertThat(recorder.take()).isEqualTo(Distribution.empty());
    }

    @Test
    void take_afterManyEmptyWindows_goesOn() {
        recorder.record(1_000);
        recorder.take();
        for (int window = 0; window < 100; window++) {
            assertThat(recorder.take()).isEqualTo(Distribution.empty());
        }
        recorder.record(3_000);
        assertThat(recorder.take().count()).isEqualTo(1);
    }
}
