package dev.komainu.agent.host.linux;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProcessTotalsTest {

    @Test
    void plus_sumsCounters_andKeepsTheBusiestAndTheFullest() {
        assertThat(totals(1, 100L, 7L).plus(totals(2, 40L, 900L)))
                .isEqualTo(new ProcessTotals(
                        3,
                        30,
                        300,
                        3_000,
                        900L,
                        1_000L,
                        new ProcessTotals.Work(3, 6, 9, 140L),
                        new ProcessTotals.Waits(12, 140L, 15, 140L, 140L),
                        new ProcessTotals.Parts(3, 20, 40L, 140L, 140L)));
    }

    @Test
    void plus_unknownValues_areThoseOfTheOther_exceptTheBusiestThread() {
        ProcessTotals sum = totals(1, null, null).plus(totals(2, 40L, 900L));
        assertThat(sum.openFiles()).isEqualTo(900);
        assertThat(sum.work().readWriteCalls()).isEqualTo(40);
        assertThat(sum.waits().waitedNanos()).isEqualTo(40);
        assertThat(sum.parts().runtimeNanos()).isEqualTo(40);
        assertThat(totals(1, null, null).plus(totals(2, null, null)).work().readWriteCalls())
                .isNull();
        ProcessTotals.Parts unknown = new ProcessTotals.Parts(0, 5, null, null, null);
        assertThat(unknown.plus(new ProcessTotals.Parts(0, 3, 3L, null, null))).isEqualTo(unknown);
    }

    @Test
    void since_hasTheGrowth_andTheSizesOfNow() {
        ProcessTotals growth = totals(2, 40L, 900L).since(totals(1, 100L, 7L));
        assertThat(growth.processes()).isEqualTo(2);
        assertThat(growth.cpuNanos()).isEqualTo(1_000);
        assertThat(growth.work())
                .as("a sum decreases when processes end")
                .isEqualTo(new ProcessTotals.Work(1, 2, 3, 0L));
        assertThat(growth.parts().processNanos()).isEqualTo(20);
    }

    @Test
    void ended_isTheCountersAlone() {
        ProcessTotals rest = totals(2, 40L, 900L).ended();
        assertThat(totals(1, 100L, 7L).plus(rest))
                .isEqualTo(new ProcessTotals(
                        1,
                        10,
                        100,
                        3_000,
                        7L,
                        1_000L,
                        new ProcessTotals.Work(3, 6, 9, 140L),
                        new ProcessTotals.Waits(12, 140L, 5, 140L, 140L),
                        new ProcessTotals.Parts(1, 10, 20L, 100L, 140L)));
    }

    private static ProcessTotals totals(int n, @Nullable Long counter, @Nullable Long files) {
        return new ProcessTotals(
                n,
                n * 10,
                n * 100L,
                n * 1_000L,
                files,
                files == null ? null : Long.valueOf(1_000),
                new ProcessTotals.Work(n, n * 2L, n * 3L, counter),
                new ProcessTotals.Waits(n * 4L, counter, n * 5, counter, counter),
                new ProcessTotals.Parts(n, n * 10L, n * 20L, counter, counter));
    }
}
