package dev.komainu.intermediary.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class MaxMinSharesTest {

    private static long level(long budget, long... demands) {
        return MaxMinShares.level(demands, demands.length, budget);
    }

    @Test
    void level_meetsSmallDemands_andSharesTheRestEqually() {
        assertThat(level(100, 10, 20, 1000, 1000)).isEqualTo(35);
        assertThat(level(100, 40, 40, 40, 40)).isEqualTo(25);
        assertThat(level(100, 10, 20)).as("all is met").isEqualTo(20);
        assertThat(level(0, 10, 20)).isZero();
        assertThat(level(-5, 10)).as("idle shares exceed the budget").isZero();
        assertThat(level(100)).isZero();
    }

    @Test
    void level_ofUnmeetableDemands_isAnEqualShare() {
        long[] demands = new long[200];
        Arrays.fill(demands, BufferDemand.MAX_BYTES);
        assertThat(MaxMinShares.level(demands, 200, 3200 * 1024)).isEqualTo(16 * 1024);
        assertThat(MaxMinShares.level(demands, 20, 3200 * 1024)).isEqualTo(160 * 1024);
    }

    /** The model grants one byte at a time to the connection that has least and demands more. */
    @Property
    void level_isThatOfGivingByteByByte(
            @ForAll @Size(max = 20) List<@LongRange(max = 30) Long> demands,
            @ForAll @LongRange(max = 300) long budget) {
        long[] demanded = demands.stream().mapToLong(Long::longValue).toArray();
        long[] model = new long[demanded.length];
        long left = budget;
        for (boolean gave = true; gave; ) {
            gave = false;
            int next = -1;
            for (int i = 0; i < model.length; i++) {
                if (model[i] < demanded[i] && (next < 0 || model[i] < model[next])) {
                    next = i;
                }
            }
            if (next >= 0 && left > 0) {
                model[next]++;
                left--;
                gave = true;
            }
        }
        long level = MaxMinShares.level(demanded.clone(), demanded.length, budget);
        long sum = 0;
        for (int i = 0; i < model.length; i++) {
            long share = Math.min(demanded[i], level);
            sum += share;
            // The bytes of the last round do not suffice for all.
            assertThat(model[i] - share).isBetween(0L, 1L);
        }
        assertThat(sum).isLessThanOrEqualTo(budget);
    }
}
