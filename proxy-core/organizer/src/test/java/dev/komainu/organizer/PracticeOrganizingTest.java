package dev.komainu.organizer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The build's training run must not fail unnoticed: all organizers would start slowly. */
class PracticeOrganizingTest {

    @Test
    void practise_servesOverTheLine() throws Exception {
        assertThat(PracticeOrganizing.practise(4_000)).isPositive();
    }
}
