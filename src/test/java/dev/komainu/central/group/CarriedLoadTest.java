package dev.komainu.central.group;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CarriedLoadTest {

    private final CarriedLoad carried = new CarriedLoad();

    private void add(int blocks, double requests, boolean differed) {
        for (int n = 0; n < blocks; n++) {
            carried.add(requests, differed);
        }
    }

    @Test
    void covers_asManyRequestsWithoutDifference_yes() {
        add(12, 100, false);
        add(MirrorWatch.LOOK, 100, true);
        assertThat(carried.covers(110)).isTrue();
        assertThat(carried.covers(112)).isFalse();
    }

    @Test
    void covers_newestBlocksOnly_no() {
        add(11, 100, false);
        add(MirrorWatch.LOOK, 100, false);
        assertThat(carried.covers(100)).isFalse();
    }

    @Test
    void covers_everyFifthBlockDiffered_no() {
        for (int n = 0; n < 20; n++) {
            add(4, 100, false);
            add(1, 100, true);
        }
        assertThat(carried.covers(100)).isFalse();
    }

    @Test
    void covers_loadOfElevenMinutesAgo_isForgotten() {
        add(20, 100, false);
        add(132, 50, false);
        assertThat(carried.covers(100)).isFalse();
        assertThat(carried.covers(55)).isTrue();
    }
}
