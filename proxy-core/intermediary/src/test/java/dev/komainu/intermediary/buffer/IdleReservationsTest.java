package dev.komainu.intermediary.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Idle shares that are looked at only when they are due keep what they would keep if all were
 * looked at each second.
 */
class IdleReservationsTest {

    private final BufferBudget budget =
            new BufferBudget(new BufferSettings(BufferScheme.EQUATION, 1 << 30, IdleDecay.ON));
    private final IdleReservations idle = new IdleReservations();

    private BufferReservation of(long bytes) {
        BufferReservation one = new BufferReservation(budget);
        one.setDemand(bytes);
        one.setLevel(bytes);
        return one;
    }

    private void begins(BufferReservation one) {
        one.markIdle(false);
        idle.add(one, true);
    }

    @Test
    void share_halvesAtEveryThirdLook_andAtOneKilobyteFallsDueNoMore() {
        BufferReservation one = of(32 * 1024);
        idle.nextRound();
        begins(one);
        for (int looks = 2; looks <= 30; looks++) {
            idle.nextRound();
            assertThat(one.shareBytes()).isEqualTo(Math.max(1024, 32 * 1024 >> looks / 3));
            assertThat(idle.bytes()).isEqualTo(one.shareBytes());
        }
        assertThat(idle.size()).isEqualTo(1);
    }

    @Test
    void share_whereNothingDecays_staysAsItIs() {
        BufferReservation one = of(32 * 1024);
        one.markIdle(false);
        idle.add(one, false);
        for (int looks = 0; looks < 12; looks++) {
            idle.nextRound();
        }
        assertThat(idle.bytes()).isEqualTo(32 * 1024);
    }

    @Test
    void press_leavesTheLeastToAllThatDecay_andTheyFallDueNoMore() {
        BufferReservation one = of(32 * 1024);
        BufferReservation other = of(64 * 1024);
        BufferReservation used = of(32 * 1024);
        begins(one);
        idle.nextRound();
        begins(other);
        begins(used);
        idle.remove(used);
        used.wake();
        idle.shrinkAll();
        assertThat(one.shareBytes()).isEqualTo(1024);
        assertThat(other.shareBytes()).isEqualTo(1024);
        assertThat(used.shareBytes()).as("it is in use again").isEqualTo(32 * 1024);
        assertThat(idle.bytes()).isEqualTo(2048);
        assertThat(idle.size()).isEqualTo(2);
        for (int looks = 0; looks < 6; looks++) {
            idle.nextRound();
        }
        assertThat(idle.bytes()).isEqualTo(2048);
        idle.remove(one);
        one.wake();
        assertThat(one.shareBytes()).as("a first window").isEqualTo(BufferDemand.MIN_BYTES);
        begins(one);
        idle.nextRound();
        idle.nextRound();
        assertThat(one.shareBytes()).as("decays anew").isEqualTo(BufferDemand.MIN_BYTES / 2);
    }

    @Test
    void press_whereNothingDecays_takesNothing() {
        BufferReservation one = of(32 * 1024);
        one.markIdle(false);
        idle.add(one, false);
        idle.shrinkAll();
        assertThat(idle.bytes()).isEqualTo(32 * 1024);
    }

    @Test
    void booking_thatEndsAndBeginsAgain_isHalvedFromItsLastBeginningOnly() {
        BufferReservation one = of(32 * 1024);
        begins(one);
        idle.nextRound();
        idle.remove(one);
        assertThat(idle.size()).isZero();
        assertThat(idle.bytes()).isZero();
        begins(one);
        idle.nextRound();
        assertThat(one.shareBytes()).as("due by its first beginning").isEqualTo(32 * 1024);
        idle.nextRound();
        assertThat(one.shareBytes()).isEqualTo(16 * 1024);
        idle.remove(one);
        idle.remove(one);
        assertThat(idle.size()).isZero();
        for (int looks = 0; looks < 6; looks++) {
            idle.nextRound();
        }
        assertThat(one.shareBytes()).as("nobody's business any more").isEqualTo(16 * 1024);
    }

    @Test
    void manyThatComeAndGo_keepWhatTheyWouldKeepLookedAtEachSecond() {
        Random random = new Random(5);
        List<BufferReservation> all = new ArrayList<>();
        List<BufferReservation> model = new ArrayList<>();
        List<Boolean> isIdle = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            long bytes = 16 * 1024L << random.nextInt(4);
            all.add(of(bytes));
            model.add(of(bytes));
            isIdle.add(false);
        }
        for (int look = 0; look < 300; look++) {
            for (int i = 0; i < all.size(); i++) {
                if (isIdle.get(i) && random.nextInt(20) == 0) {
                    isIdle.set(i, false);
                    idle.remove(all.get(i));
                    all.get(i).wake();
                    model.get(i).wake();
                }
            }
            idle.nextRound();
            long bytes = 0;
            for (int i = 0; i < all.size(); i++) {
                if (isIdle.get(i)) {
                    model.get(i).markIdle(true);
                } else if (random.nextBoolean()) {
                    isIdle.set(i, true);
                    model.get(i).markIdle(true);
                    begins(all.get(i));
                }
                bytes += isIdle.get(i) ? model.get(i).shareBytes() : 0;
                assertThat(all.get(i).shareBytes()).isEqualTo(model.get(i).shareBytes());
            }
            assertThat(idle.bytes()).isEqualTo(bytes);
            assertThat(idle.size())
                    .isEqualTo((int) isIdle.stream().filter(is -> is).count());
        }
    }
}
