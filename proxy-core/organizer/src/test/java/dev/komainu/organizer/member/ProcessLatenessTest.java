package dev.komainu.organizer.member;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessLatenessTest {

    private static final long MILLI = 1_000_000L;

    private final ProcessLateness lateness = new ProcessLateness();
    /** Shortly before the clock overflows. */
    private final long start = Long.MAX_VALUE - 500 * MILLI;

    @Test
    void inTimeOrHardlyLate_noPatience() {
        lateness.late(-3 * MILLI, start);
        lateness.late(50 * MILLI, start);
        assertThat(lateness.patienceMillis(start)).isZero();
    }

    @Test
    void late_tenTimesAsLongPatient_thenNoMore() {
        lateness.late(200 * MILLI, start);
        assertThat(lateness.patienceMillis(start)).isEqualTo(2_000);
        assertThat(lateness.patienceMillis(start + 1_500 * MILLI)).isEqualTo(500);
        lateness.late(60 * MILLI, start + 1_600 * MILLI);
        assertThat(lateness.patienceMillis(start + 1_600 * MILLI))
                .as("the later end counts")
                .isEqualTo(600);
        assertThat(lateness.patienceMillis(start + 2_200 * MILLI)).isZero();
    }

    @Test
    void veryLate_patienceIsBounded() {
        lateness.late(60_000 * MILLI, start);
        assertThat(lateness.patienceMillis(start)).isEqualTo(10_000);
    }
}
