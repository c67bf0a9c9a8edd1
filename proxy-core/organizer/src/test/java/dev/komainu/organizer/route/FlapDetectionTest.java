package dev.komainu.organizer.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.route.FlapDetection.Turn;
import org.junit.jupiter.api.Test;

class FlapDetectionTest {

    private static final MemberId A = new MemberId("a");
    private final FlapDetection flapping = new FlapDetection();

    @Test
    void changed_sixWithinAMinute_flapsOnce_andCalmsAfterAnother() {
        for (int i = 0; i < 5; i++) {
            assertThat(flapping.changed(A, i * 10_000L)).isEqualTo(Turn.NONE);
        }
        assertThat(flapping.changed(A, 60_000)).isEqualTo(Turn.BEGINS);
        assertThat(flapping.changed(A, 61_000)).isEqualTo(Turn.NONE);
        assertThat(flapping.flaps(A)).isTrue();
        assertThat(flapping.calmed(A, 120_999)).isEqualTo(Turn.NONE);
        assertThat(flapping.calmed(A, 121_000)).isEqualTo(Turn.ENDS);
        assertThat(flapping.flaps(A)).isFalse();
    }

    @Test
    void changed_sixInALongerTime_isNoFlap() {
        for (int i = 0; i < 20; i++) {
            assertThat(flapping.changed(A, i * 12_001L)).isEqualTo(Turn.NONE);
        }
    }
}
