package dev.komainu.proxy.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ReadAheadTest {

    private static final long BUDGET = 32L << 20;

    @Test
    void take_whileThereIsPlenty_givesAsMuchAsNettyHas() {
        ReadAhead ahead = new ReadAhead(BUDGET);
        for (int i = 0; i < 200; i++) {
            assertThat(ahead.begin()).isEqualTo(ReadAhead.MOST_BYTES);
        }
        assertThat(ahead.figures())
                .isEqualTo(new ReadAhead.Figures(BUDGET, 200 * 128 * 1024, 200, 0));
    }

    @Test
    void take_tenThousandTimes_staysWithinTheBudgetAndTheLeast() {
        ReadAhead ahead = new ReadAhead(BUDGET);
        List<Integer> had = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            had.add(ahead.begin());
        }
        assertThat(had)
                .isSortedAccordingTo((a, b) -> b - a)
                .last()
                .isEqualTo(ReadAhead.LEAST_BYTES);
        assertThat(ahead.figures().reservedBytes()).isLessThan(64L << 20);
        had.forEach(ahead::release);
        assertThat(ahead.figures()).isEqualTo(new ReadAhead.Figures(BUDGET, 0, 0, 0));
    }

    @Test
    void takeAgain_whenOthersLeft_givesMore() {
        ReadAhead ahead = new ReadAhead(1 << 20);
        List<Integer> others = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            others.add(ahead.begin());
        }
        int mine = ahead.begin();
        assertThat(ahead.extend(mine)).isEqualTo(mine);
        others.forEach(ahead::release);
        int more = ahead.extend(mine);
        assertThat(more).isBetween(30_000, 33_000);
        ahead.release(more);
        assertThat(ahead.figures().reservedBytes()).isZero();
    }

    /** The steps: 0 a pair starts, 1 the oldest ends, 2 the oldest extends its bound. */
    @Property
    void reserved_isTheSumOfAll_andTheBudgetIsExceededByLeastsOnly(
            @ForAll @Size(max = 300) List<@IntRange(min = 0, max = 2) Integer> steps) {
        long budget = 1 << 20;
        ReadAhead ahead = new ReadAhead(budget);
        List<Integer> had = new ArrayList<>();
        for (int step : steps) {
            if (step == 0) {
                had.add(ahead.begin());
            } else if (!had.isEmpty() && step == 1) {
                ahead.release(had.removeFirst());
            } else if (!had.isEmpty()) {
                had.add(ahead.extend(had.removeFirst()));
            }
            long sum = had.stream().mapToLong(bytes -> 2L * bytes).sum();
            long least =
                    had.stream().filter(bytes -> bytes == ReadAhead.LEAST_BYTES).count()
                            * 2
                            * ReadAhead.LEAST_BYTES;
            assertThat(ahead.figures().reservedBytes()).isEqualTo(sum);
            assertThat(sum).isLessThanOrEqualTo(budget + least);
            assertThat(ahead.figures().pairs()).isEqualTo(had.size());
        }
    }
}
