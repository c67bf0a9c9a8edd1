package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClockStepsTest {

    private static final long SECOND = 1_000_000;

    private long wall = 1_795_262_400L * SECOND;
    private long nanos = Long.MAX_VALUE - 5_000;
    private final ClockSteps steps = new ClockSteps(() -> wall, () -> nanos);

    private void pass(long micros) {
        wall += micros;
        nanos += micros * 1_000;
    }

    @Test
    void look_timeThatPasses_isNoStep() {
        for (int i = 0; i < 5; i++) {
            pass(2 * SECOND);
            assertThat(steps.check()).isZero();
        }
    }

    @Test
    void check_setBackAndForward_isReportedOnceEach() {
        pass(2 * SECOND);
        wall -= 3_600 * SECOND;
        assertThat(steps.check()).isEqualTo(-3_600 * SECOND);
        pass(2 * SECOND);
        assertThat(steps.check()).isZero();
        wall += 3_600 * SECOND;
        assertThat(steps.check()).isEqualTo(3_600 * SECOND);
    }

    @Test
    void look_slewedClock_isNoStepHoweverLongItLasts() {
        for (int i = 0; i < 100; i++) {
            pass(2 * SECOND);
            wall -= SECOND / 1_000;
            assertThat(steps.check()).isZero();
        }
    }
}
