package dev.komainu.intermediary.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A round over all loops: the shares, and loops that do not respond. */
class BufferBudgetTest {

    private static final long BUDGET = 1_000_000;
    private final BufferBudget budget =
            new BufferBudget(new BufferSettings(BufferScheme.EQUATION, BUDGET, IdleDecay.PRESSED));
    private final Loop first = new Loop();
    private final Loop second = new Loop();

    /** A loop that runs its tasks at once, later, or never again. */
    private static final class Loop implements BufferLoop {
        private final List<Runnable> deferred = new ArrayList<>();
        private Executor executor = Runnable::run;
        private long[] demands = {};
        private long idleBytes;
        private long level;
        private int shrinks;

        @Override
        public Executor loop() {
            return task -> executor.execute(task);
        }

        @Override
        public Survey survey() {
            return new Survey(
                    demands.clone(), idleBytes, idleBytes > 0 ? 1 : 0, 0, 0, 0, List.of());
        }

        @Override
        public void shrinkIdle() {
            shrinks++;
        }

        @Override
        public void setLevel(long bytes) {
            level = bytes;
        }
    }

    BufferBudgetTest() {
        budget.join(first);
        budget.join(second);
    }

    @AfterEach
    void tearDown() {
        budget.close();
    }

    @Test
    void demandsOfAllLoops_areMetUpToOneLevel() {
        budget.reload(new BufferSettings(BufferScheme.EQUATION, BUDGET, IdleDecay.ON));
        first.demands = new long[] {100_000, 4_000_000};
        second.demands = new long[] {4_000_000};
        second.idleBytes = 100_000;
        budget.redistribute();
        assertThat(first.shrinks).isZero();
        assertThat(first.level).isEqualTo(400_000);
        assertThat(second.level).isEqualTo(400_000);
        assertThat(budget.figures().freeBytes()).isZero();
        assertThat(budget.figures().inUse()).isEqualTo(3);
    }

    @Test
    void unmetDemands_areMetFromIdleShares() {
        first.demands = new long[] {4_000_000};
        second.idleBytes = 300_000;
        budget.redistribute();
        assertThat(second.shrinks).isOne();
        assertThat(first.level).isEqualTo(BUDGET - BufferReservation.MIN_IDLE_BYTES);
        assertThat(budget.figures().idleBytes()).isEqualTo(BufferReservation.MIN_IDLE_BYTES);
        assertThat(budget.figures().freeBytes()).isZero();
    }

    @Test
    void metDemands_leaveIdleSharesUnchanged() {
        first.demands = new long[] {700_000};
        second.idleBytes = 300_000;
        budget.redistribute();
        assertThat(second.shrinks).isZero();
        assertThat(first.level).isEqualTo(700_000);
        assertThat(budget.figures().idleBytes()).isEqualTo(300_000);
    }

    @Test
    void loopThatIsBusy_keepsItsShares() {
        first.demands = new long[] {500_000};
        second.demands = new long[] {500_000};
        budget.redistribute();
        assertThat(first.level).isEqualTo(500_000);
        second.executor = second.deferred::add;
        first.demands = new long[] {4_000_000};
        budget.redistribute();
        assertThat(first.level).as("the busy loop's share is not free").isEqualTo(500_000);
        assertThat(budget.figures().inUseBytes()).isEqualTo(BUDGET);
        second.deferred.forEach(Runnable::run);
        assertThat(second.level).isEqualTo(500_000);
    }

    @Test
    void loopThatHasEnded_releasesItsShares() {
        first.demands = new long[] {4_000_000};
        second.demands = new long[] {500_000};
        budget.redistribute();
        assertThat(first.level).isEqualTo(500_000);
        second.executor = task -> {
            throw new RejectedExecutionException();
        };
        budget.redistribute();
        assertThat(first.level).isEqualTo(BUDGET);
    }

    @Test
    void unlimitedDemand_leavesNewConnectionsAFirstWindow() {
        first.demands = new long[] {4_000_000};
        budget.redistribute();
        assertThat(new BufferReservation(budget).shareBytes())
                .as("no new connection was expected")
                .isEqualTo(BufferDemand.FLOOR_BYTES);
        budget.redistribute();
        assertThat(first.level)
                .isEqualTo(BUDGET - 2 * (BufferDemand.MIN_BYTES - BufferDemand.FLOOR_BYTES));
        BufferReservation newcomer = new BufferReservation(budget);
        assertThat(newcomer.shareBytes()).isEqualTo(BufferDemand.MIN_BYTES);
        assertThat(newcomer.grow())
                .as("the reserve for new connections, which may grow")
                .isGreaterThan(BufferDemand.MIN_BYTES);
    }
}
