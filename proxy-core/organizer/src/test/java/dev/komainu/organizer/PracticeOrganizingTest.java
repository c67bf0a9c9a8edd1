package dev.komainu.organizer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The build's practice must not fail unnoticed: organizers would start slowly for ever after. */
class PracticeOrganizingTest {

    @Test
    void practise_servesOverTheLine() throws Exception {
        assertThat(PracticeOrganizing.practise(4_000)).isPositive();
    }
}
