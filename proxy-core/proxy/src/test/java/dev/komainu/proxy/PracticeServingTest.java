package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PracticeServingTest {

    @Test
    void practise_shortly_isAnsweredForEachKindOfRequest() throws Exception {
        // Ten kinds, at least one request of each of the eight clients.
        assertThat(PracticeServing.practise(10, true)).isGreaterThanOrEqualTo(80);
    }
}
