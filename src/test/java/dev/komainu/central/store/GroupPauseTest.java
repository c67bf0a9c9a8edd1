package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests of the time for which batches wait for each other. */
class GroupPauseTest {

    private static final long SECOND = 1_000_000_000L;
    private static final long START = Long.MAX_VALUE - 2 * SECOND;

    private final GroupPause pause = new GroupPause(START);

    private void second(long from, int sources) {
        for (int n = 0; n < sources; n++) {
            pause.came("agent@" + n, from + n * SECOND / sources);
        }
    }

    private long millis() {
        return TimeUnit.NANOSECONDS.toMillis(pause.nanos());
    }

    @Test
    void oneSource_neverWaits_howeverMuchItSends() {
        for (int batch = 0; batch < 500; batch++) {
            pause.came("agent@a", START + batch * SECOND / 100);
            assertThat(millis()).isZero();
        }
    }

    @Test
    void moreSources_waitLonger_upToTheLimit() {
        second(START, 2);
        assertThat(millis()).isZero();
        second(START + SECOND, 8);
        assertThat(millis()).isEqualTo(60);
        second(START + 2 * SECOND, 500);
        assertThat(millis()).isEqualTo(GroupPause.MOST_MILLIS);
    }

    /** Each of fifty agents sends a quarter of an hour, and waits for each commit. */
    @Test
    void sourcesThatSendWhatTheyKept_doNotWait() {
        second(START, 50);
        assertThat(millis()).isEqualTo(GroupPause.MOST_MILLIS);
        for (int batch = 0; batch < 150; batch++) {
            pause.came("agent@" + batch % 50, START + SECOND + batch * SECOND / 200);
        }
        assertThat(millis()).isZero();

        pause.came("agent@0", START + 2 * SECOND);
        assertThat(millis()).as("in the second after it").isZero();
        second(START + 3 * SECOND, 50);
        assertThat(millis()).as("afterwards").isEqualTo(GroupPause.MOST_MILLIS);
    }

    @Test
    void sourcesThatCameInTheLastSecond_count_andOlderOnesDoNot() {
        second(START, 12);
        pause.came("agent@0", START + SECOND);
        assertThat(millis()).isEqualTo(100);
        pause.came("agent@0", START + 2 * SECOND);
        assertThat(millis()).isZero();

        second(START + 2 * SECOND, 12);
        pause.came("agent@0", START + 20 * SECOND);
        assertThat(millis()).as("after a silence").isZero();
    }
}
