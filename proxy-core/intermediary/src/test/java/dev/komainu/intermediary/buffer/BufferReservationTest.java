package dev.komainu.intermediary.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingTree;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Shares over a connection's life, and the free bytes of the budget. */
class BufferReservationTest {

    private final BufferBudget budget =
            new BufferBudget(new BufferSettings(BufferScheme.EQUATION, 64 * 1024, IdleDecay.ON));

    private long free() {
        long free = budget.reserveAgain(1L << 40);
        budget.release(free, false);
        return free;
    }

    @Test
    void newConnections_reserveFreeBytes_andAtLeastTheFloor() {
        for (int i = 0; i < 4; i++) {
            assertThat(new BufferReservation(budget).shareBytes()).isEqualTo(16 * 1024);
        }
        assertThat(free()).isZero();
        BufferReservation late = new BufferReservation(budget);
        assertThat(late.shareBytes()).isEqualTo(BufferDemand.FLOOR_BYTES);
        late.release();
        assertThat(free()).isZero();
        new BufferReservation(budget).release();
        assertThat(free()).isZero();
    }

    @Test
    void markIdle_halvesEveryThirdSecond_downToOneKilobyte_untilUsedAgain() {
        BufferReservation reservation = new BufferReservation(budget);
        reservation.setDemand(32 * 1024);
        reservation.setLevel(32 * 1024);
        assertThat(reservation.shareBytes()).isEqualTo(32 * 1024);
        for (int second = 1; second <= 30; second++) {
            reservation.markIdle(true);
            reservation.setLevel(64 * 1024);
            assertThat(reservation.shareBytes()).isEqualTo(Math.max(1024, 32 * 1024 >> second / 3));
        }
        reservation.wake();
        assertThat(reservation.shareBytes()).isEqualTo(16 * 1024);
        assertThat(reservation.isIdle()).isFalse();
    }

    @Test
    void markIdle_withoutDecay_keepsTheShare() {
        BufferReservation reservation = new BufferReservation(budget);
        for (int second = 1; second <= 30; second++) {
            reservation.markIdle(false);
        }
        assertThat(reservation.shareBytes()).isEqualTo(16 * 1024);
    }

    @Test
    void wake_withoutFreeBytes_keepsItsShare() {
        BufferReservation reservation = new BufferReservation(budget);
        for (int second = 1; second <= 3; second++) {
            reservation.markIdle(true);
        }
        budget.reserveAgain(1L << 40);
        reservation.wake();
        assertThat(reservation.shareBytes()).isEqualTo(8 * 1024);
    }

    @Test
    void grow_doublesFromFreeBytes_butNotAFixedShare() {
        BufferReservation reservation = new BufferReservation(budget);
        assertThat(reservation.grow()).isEqualTo(32 * 1024);
        assertThat(reservation.grow()).isEqualTo(64 * 1024);
        assertThat(reservation.grow()).as("nothing is free").isEqualTo(64 * 1024);
        reservation.release();
        assertThat(free()).isEqualTo(64 * 1024);
        reservation.fix(16 * 1024);
        assertThat(reservation.grow()).isEqualTo(16 * 1024);
    }

    @Test
    void shrinkIfIdle_reducesIdleSharesOnly() {
        BufferReservation reservation = new BufferReservation(budget);
        reservation.shrinkIfIdle();
        assertThat(reservation.shareBytes()).isEqualTo(16 * 1024);
        reservation.markIdle(true);
        reservation.shrinkIfIdle();
        assertThat(reservation.shareBytes()).isEqualTo(1024);
        reservation.shrinkIfIdle();
        assertThat(reservation.shareBytes()).isEqualTo(1024);
    }

    @Test
    void settings_reportMistakes() {
        SettingReader reader = new SettingReader(
                List.of(SettingTree.of(Map.of("buffers.scheme", "fixed", "buffers.budget", "1"))));
        BufferSettings settings = BufferSettings.read(reader);
        reader.check(problems -> settings.check(false, problems));
        assertThatThrownBy(reader::finish)
                .hasMessage("buffers.budget: 1 (expected: 64KB to 1TB)\n"
                        + "buffers.scheme: fixed (expected: kernel, where transport is not epoll)");
    }
}
