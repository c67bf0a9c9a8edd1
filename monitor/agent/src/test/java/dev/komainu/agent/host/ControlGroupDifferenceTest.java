package dev.komainu.agent.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.host.linux.ControlGroupState;
import dev.komainu.telemetry.record.HostSample.ControlGroup;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ControlGroupDifferenceTest {

    @Test
    void between_countersOfOneGroup_returnsShareAndRates() {
        ControlGroupState before = state("/a", 100, 10, 1_000_000_000L, 5, 200L, 1L);
        ControlGroupState now = state("/a", 200, 85, 6_000_000_000L, 25, 1_200L, 2L);
        assertThat(ControlGroupDifference.between(before, now, 10))
                .isEqualTo(new ControlGroup(0.5, 0.75, 0.5, 64L, 60L, 2.0, 100.0, 0.1, null, null));
    }

    @Test
    void between_anotherGroup_returnsLimitsWithoutRates() {
        ControlGroupState before = state("/a", 100, 10, 1, 5, 200L, 1L);
        ControlGroupState now = state("/b", 900, 800, 9_000_000_000L, 90, 9_000L, 9L);
        assertThat(ControlGroupDifference.between(before, now, 10))
                .isEqualTo(
                        new ControlGroup(0.5, null, null, 64L, 60L, null, null, null, null, null));
        assertThat(ControlGroupDifference.between(null, now, 10))
                .isEqualTo(
                        new ControlGroup(0.5, null, null, 64L, 60L, null, null, null, null, null));
    }

    @Test
    void between_noPeriod_returnsNoThrottling() {
        ControlGroupState still = state("/a", 100, 10, 1, 5, null, null);
        assertThat(ControlGroupDifference.between(still, still, 10))
                .isEqualTo(new ControlGroup(0.5, 0.0, 0.0, 64L, 60L, 0.0, null, null, null, null));
    }

    @Test
    void between_noGroup_isAbsent() {
        assertThat(ControlGroupDifference.between(null, null, 10)).isNull();
    }

    private static ControlGroupState state(
            String group,
            long periods,
            long throttled,
            long nanos,
            long hits,
            @Nullable Long refaults,
            @Nullable Long kills) {
        return new ControlGroupState(
                new ControlGroupState.Cpu(group, 0.5, periods, throttled, nanos),
                new ControlGroupState.Memory(group, 64, 60, hits, refaults, kills),
                null,
                null);
    }
}
