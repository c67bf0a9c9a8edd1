package dev.komainu.intermediary.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingTree;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Shares over a connection's life, and what is free of the budget. */
class BufferReservationTest {

    private final BufferBudget budget =
            new BufferBudget(new BufferSettings(BufferScheme.EQUATION, 64 * 1024, IdleDecay.ON));

    private long free() {
        long free = budget.reserveAgain(1L << 40);
        budget.release(free, false);
        return free;
    }

    @Test
    void newcomers_takeWhatIsFree_andNoLessThanTheFloor() {
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
    void idle_halvesEveryThirdSecond_downToOneKilobyte_andHasAFirstWindowWhenUsed() {
        BufferReservation booking = new BufferReservation(budget);
        booking.setDemand(32 * 1024);
        booking.setLevel(32 * 1024);
        assertThat(booking.shareBytes()).isEqualTo(32 * 1024);
        for (int second = 1; second <= 30; second++) {
            booking.markIdle(true);
            booking.setLevel(64 * 1024);
            assertThat(booking.shareBytes()).isEqualTo(Math.max(1024, 32 * 1024 >> second / 3));
        }
        booking.wake();
        assertThat(booking.shareBytes()).isEqualTo(16 * 1024);
        assertThat(booking.isIdle()).isFalse();
    }

    @Test
    void idle_whereNothingDecays_keepsItsShare() {
        BufferReservation booking = new BufferReservation(budget);
        for (int second = 1; second <= 30; second++) {
            booking.markIdle(false);
        }
        assertThat(booking.shareBytes()).isEqualTo(16 * 1024);
    }

    @Test
    void wake_withNothingFree_goesOnWithWhatItHas() {
        BufferReservation booking = new BufferReservation(budget);
        for (int second = 1; second <= 3; second++) {
            booking.markIdle(true);
        }
        budget.reserveAgain(1L << 40);
        booking.wake();
        assertThat(booking.shareBytes()).isEqualTo(8 * 1024);
    }

    @Test
    void grow_doublesOfWhatIsFree_andNothingThatIsFixed() {
        BufferReservation booking = new BufferReservation(budget);
        assertThat(booking.grow()).isEqualTo(32 * 1024);
        assertThat(booking.grow()).isEqualTo(64 * 1024);
        assertThat(booking.grow()).as("nothing is free").isEqualTo(64 * 1024);
        booking.release();
        assertThat(free()).isEqualTo(64 * 1024);
        booking.fix(16 * 1024);
        assertThat(booking.grow()).isEqualTo(16 * 1024);
    }

    @Test
    void press_leavesTheLeastToOneThatIsIdle_andNothingChangesForOthers() {
        BufferReservation booking = new BufferReservation(budget);
        booking.shrinkIfIdle();
        assertThat(booking.shareBytes()).isEqualTo(16 * 1024);
        booking.markIdle(true);
        booking.shrinkIfIdle();
        assertThat(booking.shareBytes()).isEqualTo(1024);
        booking.shrinkIfIdle();
        assertThat(booking.shareBytes()).isEqualTo(1024);
    }

    @Test
    void settings_tellTheirMistakes() {
        SettingReader reader = new SettingReader(
                List.of(SettingTree.of(Map.of("buffers.scheme", "fixed", "buffers.budget", "1"))));
        BufferSettings settings = BufferSettings.read(reader);
        reader.check(problems -> settings.check(false, problems));
        assertThatThrownBy(reader::finish)
                .hasMessage("buffers.budget: 1 (expected: 64KB to 1TB)\n"
                        + "buffers.scheme: fixed (expected: kernel, where transport is not epoll)");
    }
}
