package dev.komainu.intermediary.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Idle shares that are measured only when due have the same size as shares measured every second.
 */
class IdleReservationsTest {

    private final BufferBudget budget =
            new BufferBudget(new BufferSettings(BufferScheme.EQUATION, 1 << 30, IdleDecay.ON));
    private final IdleReservations idle = new IdleReservations();

    private BufferReservation reservation(long bytes) {
        BufferReservation reservation = new BufferReservation(budget);
        reservation.setDemand(bytes);
        reservation.setLevel(bytes);
        return reservation;
    }

    private void addIdle(BufferReservation reservation) {
        reservation.markIdle(false);
        idle.add(reservation, true);
    }

    @Test
    void share_halvesEveryThirdRound_untilOneKilobyte() {
        BufferReservation reservation = reservation(32 * 1024);
        idle.nextRound();
        addIdle(reservation);
        for (int rounds = 2; rounds <= 30; rounds++) {
            idle.nextRound();
            assertThat(reservation.shareBytes()).isEqualTo(Math.max(1024, 32 * 1024 >> rounds / 3));
            assertThat(idle.bytes()).isEqualTo(reservation.shareBytes());
        }
        assertThat(idle.size()).isEqualTo(1);
    }

    @Test
    void share_withoutDecay_isUnchanged() {
        BufferReservation reservation = reservation(32 * 1024);
        reservation.markIdle(false);
        idle.add(reservation, false);
        for (int rounds = 0; rounds < 12; rounds++) {
            idle.nextRound();
        }
        assertThat(idle.bytes()).isEqualTo(32 * 1024);
    }

    @Test
    void shrinkAll_reducesDecayingShares_whichAreNoLongerDue() {
        BufferReservation reservation = reservation(32 * 1024);
        BufferReservation other = reservation(64 * 1024);
        BufferReservation used = reservation(32 * 1024);
        addIdle(reservation);
        idle.nextRound();
        addIdle(other);
        addIdle(used);
        idle.remove(used);
        used.wake();
        idle.shrinkAll();
        assertThat(reservation.shareBytes()).isEqualTo(1024);
        assertThat(other.shareBytes()).isEqualTo(1024);
        assertThat(used.shareBytes()).as("it is in use again").isEqualTo(32 * 1024);
        assertThat(idle.bytes()).isEqualTo(2048);
        assertThat(idle.size()).isEqualTo(2);
        for (int rounds = 0; rounds < 6; rounds++) {
            idle.nextRound();
        }
        assertThat(idle.bytes()).isEqualTo(2048);
        idle.remove(reservation);
        reservation.wake();
        assertThat(reservation.shareBytes()).as("a first window").isEqualTo(BufferDemand.MIN_BYTES);
        addIdle(reservation);
        idle.nextRound();
        idle.nextRound();
        assertThat(reservation.shareBytes())
                .as("decays anew")
                .isEqualTo(BufferDemand.MIN_BYTES / 2);
    }

    @Test
    void shrinkAll_withoutDecay_changesNothing() {
        BufferReservation reservation = reservation(32 * 1024);
        reservation.markIdle(false);
        idle.add(reservation, false);
        idle.shrinkAll();
        assertThat(idle.bytes()).isEqualTo(32 * 1024);
    }

    @Test
    void reservation_removedAndAddedAgain_isHalvedFromItsLastStart() {
        BufferReservation reservation = reservation(32 * 1024);
        addIdle(reservation);
        idle.nextRound();
        idle.remove(reservation);
        assertThat(idle.size()).isZero();
        assertThat(idle.bytes()).isZero();
        addIdle(reservation);
        idle.nextRound();
        assertThat(reservation.shareBytes()).as("due by its first beginning").isEqualTo(32 * 1024);
        idle.nextRound();
        assertThat(reservation.shareBytes()).isEqualTo(16 * 1024);
        idle.remove(reservation);
        idle.remove(reservation);
        assertThat(idle.size()).isZero();
        for (int rounds = 0; rounds < 6; rounds++) {
            idle.nextRound();
        }
        assertThat(reservation.shareBytes()).as("removed, so no longer due").isEqualTo(16 * 1024);
    }

    @Test
    void shares_equalThoseMeasuredEverySecond() {
        Random random = new Random(5);
        List<BufferReservation> all = new ArrayList<>();
        List<BufferReservation> model = new ArrayList<>();
        List<Boolean> isIdle = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            long bytes = 16 * 1024L << random.nextInt(4);
            all.add(reservation(bytes));
            model.add(reservation(bytes));
            isIdle.add(false);
        }
        for (int round = 0; round < 300; round++) {
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
                    addIdle(all.get(i));
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
