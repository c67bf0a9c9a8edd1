package dev.komainu.intermediary.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** The reserve for new connections while others request everything. */
class FreeBytesTest {

    private static final long BUDGET = 1000;
    private final FreeBytes free = new FreeBytes(BUDGET);

    @Test
    void withoutNewConnections_theReserveIsEmpty() {
        assertThat(free.nextReserve(BUDGET)).isZero();
        free.setFree(100, 50);
        assertThat(free.forGrowth(70, 70)).isEqualTo(70);
        assertThat(free.forGrowth(50, 50)).isEqualTo(30);
        assertThat(free.forNewcomer(10)).isZero();
    }

    @Test
    void reserve_isTwiceTheLastSecondsRequests_thenHalves() {
        assertThat(free.forNewcomer(60)).isEqualTo(60);
        assertThat(free.nextReserve(BUDGET)).isEqualTo(120);
        free.setFree(120, 50);
        assertThat(free.forGrowth(70, 70)).as("has more than others").isZero();
        assertThat(free.forGrowth(30, 30)).as("has less than others").isEqualTo(20);
        assertThat(free.forNewcomer(200)).isEqualTo(100);
        assertThat(free.nextReserve(BUDGET))
                .as("a quarter of the budget at most")
                .isEqualTo(250);
        assertThat(free.nextReserve(BUDGET)).isEqualTo(125);
        assertThat(free.nextReserve(BUDGET)).isEqualTo(62);
    }

    @Test
    void deniedRequests_countForTheReserve() {
        free.setFree(0, 50);
        assertThat(free.forNewcomer(80)).isZero();
        assertThat(free.nextReserve(BUDGET)).isEqualTo(160);
    }

    @Test
    void reserve_isLimitedToFreeBytes() {
        free.forNewcomer(100);
        free.nextReserve(BUDGET);
        free.setFree(30, 50);
        assertThat(free.forGrowth(100, 100)).isZero();
        assertThat(free.forNewcomer(100)).isEqualTo(30);
        free.setFree(-500, 0);
        assertThat(free.forNewcomer(100)).as("floors took more than the budget").isZero();
    }

    @Test
    void noByteIsGrantedTwice() {
        Random random = new Random(3);
        for (int round = 0; round < 2_000; round++) {
            long left = random.nextLong(BUDGET);
            free.nextReserve(BUDGET);
            free.setFree(left, random.nextLong(200));
            long total = 0;
            for (int i = 0; i < 20; i++) {
                long requested = random.nextLong(200);
                long granted = random.nextBoolean()
                        ? free.forNewcomer(requested)
                        : free.forGrowth(random.nextLong(300), requested);
                assertThat(granted).isBetween(0L, requested);
                total += granted;
            }
            assertThat(total).isLessThanOrEqualTo(left);
        }
    }
}
