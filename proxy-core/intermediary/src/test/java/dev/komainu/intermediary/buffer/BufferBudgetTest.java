package dev.komainu.intermediary.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One look over all loops: what is shared, and what of a loop that does not answer. */
class BufferBudgetTest {

    private static final long BUDGET = 1_000_000;
    private final BufferBudget budget =
            new BufferBudget(new BufferSettings(BufferScheme.EQUATION, BUDGET, IdleDecay.PRESSED));
    private final Loop one = new Loop();
    private final Loop other = new Loop();

    /** Runs at once what it is given, or later, or never again. */
    private static final class Loop implements BufferLoop {
        private final List<Runnable> later = new ArrayList<>();
        private Executor how = Runnable::run;
        private long[] wants = {};
        private long idleBytes;
        private long level;
        private int presses;

        @Override
        public Executor loop() {
            return task -> how.execute(task);
        }

        @Override
        public Survey survey() {
            return new Survey(wants.clone(), idleBytes, idleBytes > 0 ? 1 : 0, 0, 0, 0, List.of());
        }

        @Override
        public void shrinkIdle() {
            presses++;
        }

        @Override
        public void setLevel(long bytes) {
            level = bytes;
        }
    }

    BufferBudgetTest() {
        budget.join(one);
        budget.join(other);
    }

    @AfterEach
    void close() {
        budget.close();
    }

    @Test
    void wantsOfAllLoops_areMetToOneLevel() {
        budget.reload(new BufferSettings(BufferScheme.EQUATION, BUDGET, IdleDecay.ON));
        one.wants = new long[] {100_000, 4_000_000};
        other.wants = new long[] {4_000_000};
        other.idleBytes = 100_000;
        budget.redistribute();
        assertThat(one.presses).isZero();
        assertThat(one.level).isEqualTo(400_000);
        assertThat(other.level).isEqualTo(400_000);
        assertThat(budget.figures().freeBytes()).isZero();
        assertThat(budget.figures().inUse()).isEqualTo(3);
    }

    @Test
    void wantsThatCannotBeMet_areMetFromWhatIdleOnesKeep() {
        one.wants = new long[] {4_000_000};
        other.idleBytes = 300_000;
        budget.redistribute();
        assertThat(other.presses).isOne();
        assertThat(one.level).isEqualTo(BUDGET - BufferReservation.MIN_IDLE_BYTES);
        assertThat(budget.figures().idleBytes()).isEqualTo(BufferReservation.MIN_IDLE_BYTES);
        assertThat(budget.figures().freeBytes()).isZero();
    }

    @Test
    void wantsThatAreMet_leaveIdleOnesTheirs() {
        one.wants = new long[] {700_000};
        other.idleBytes = 300_000;
        budget.redistribute();
        assertThat(other.presses).isZero();
        assertThat(one.level).isEqualTo(700_000);
        assertThat(budget.figures().idleBytes()).isEqualTo(300_000);
    }

    @Test
    void loopThatIsBusy_keepsItsShares() {
        one.wants = new long[] {500_000};
        other.wants = new long[] {500_000};
        budget.redistribute();
        assertThat(one.level).isEqualTo(500_000);
        other.how = other.later::add;
        one.wants = new long[] {4_000_000};
        budget.redistribute();
        assertThat(one.level).as("the busy one's share is not free").isEqualTo(500_000);
        assertThat(budget.figures().inUseBytes()).isEqualTo(BUDGET);
        other.later.forEach(Runnable::run);
        assertThat(other.level).isEqualTo(500_000);
    }

    @Test
    void loopThatHasEnded_givesBackAll() {
        one.wants = new long[] {4_000_000};
        other.wants = new long[] {500_000};
        budget.redistribute();
        assertThat(one.level).isEqualTo(500_000);
        other.how = task -> {
            throw new RejectedExecutionException();
        };
        budget.redistribute();
        assertThat(one.level).isEqualTo(BUDGET);
    }

    @Test
    void somebodyWhoWantsAll_leavesNewcomersAFirstWindow() {
        one.wants = new long[] {4_000_000};
        budget.redistribute();
        assertThat(new BufferReservation(budget).shareBytes())
                .as("nobody was expected")
                .isEqualTo(BufferDemand.FLOOR_BYTES);
        budget.redistribute();
        assertThat(one.level)
                .isEqualTo(BUDGET - 2 * (BufferDemand.MIN_BYTES - BufferDemand.FLOOR_BYTES));
        BufferReservation second = new BufferReservation(budget);
        assertThat(second.shareBytes()).isEqualTo(BufferDemand.MIN_BYTES);
        assertThat(second.grow())
                .as("what is left for newcomers, who may grow")
                .isGreaterThan(BufferDemand.MIN_BYTES);
    }
}
