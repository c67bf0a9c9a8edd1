package dev.komainu.organizer.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.route.FlapDetection.Transition;
import org.junit.jupiter.api.Test;

class FlapDetectionTest {

    private static final MemberId A = new MemberId("a");
    private final FlapDetection flapping = new FlapDetection();

    @Test
    void changed_sixWithinAMinute_flapsOnce_andCalmsAfterAnother() {
        for (int i = 0; i < 5; i++) {
            assertThat(flapping.changed(A, i * 10_000L)).isEqualTo(Transition.NONE);
        }
        assertThat(flapping.changed(A, 60_000)).isEqualTo(Transition.BEGINS);
        assertThat(flapping.changed(A, 61_000)).isEqualTo(Transition.NONE);
        assertThat(flapping.isFlapping(A)).isTrue();
        assertThat(flapping.expire(A, 120_999)).isEqualTo(Transition.NONE);
        assertThat(flapping.expire(A, 121_000)).isEqualTo(Transition.ENDS);
        assertThat(flapping.isFlapping(A)).isFalse();
    }

    @Test
    void changed_sixInALongerTime_isNoFlap() {
        for (int i = 0; i < 20; i++) {
            assertThat(flapping.changed(A, i * 12_001L)).isEqualTo(Transition.NONE);
        }
    }
}
