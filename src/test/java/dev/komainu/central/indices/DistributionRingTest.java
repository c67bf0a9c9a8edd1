package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.telemetry.record.Distribution;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class DistributionRingTest {

    private static final int LENGTH = 300;
    private static final int SINGLE = 60;

    /** Seconds in any order within a minute of the newest, some twice, some never. */
    @Property(tries = 100)
    void alignedWindows_equalTheSumOfTheirSeconds(@ForAll long seed) {
        Random random = new Random(seed);
        DistributionRing ring = new DistributionRing(LENGTH, SINGLE);
        Map<Long, Distribution> model = new TreeMap<>();
        long start = 1_000_000 + random.nextInt(1_000);
        long newest = start;
        for (long second = start; second < start + 2 * LENGTH; second++) {
            long late = random.nextInt(4) == 0 ? random.nextInt(30) : 0;
            long reported = Math.max(start, second - late);
            if (late > 0 && model.containsKey(reported)) {
                continue;
            }
            Distribution distribution = distribution(random);
            ring.put(reported, distribution);
            model.put(reported, distribution);
            newest = Math.max(newest, reported);
        }
        for (int i = 0; i < 50; i++) {
            long end = (newest - random.nextInt(LENGTH - 60)) / 10 * 10 - 1;
            int over = 10 * (1 + random.nextInt(4));
            Histogram sum = Distribution.newRecorder();
            for (long second = end - over + 1; second <= end; second++) {
                if (model.containsKey(second)) {
                    model.get(second).addTo(sum);
                }
            }
            assertThat(ring.samples(end, over)).isEqualTo(sum.getTotalCount());
            if (sum.getTotalCount() > 0) {
                for (int percentile : DistributionRing.PERCENTILES) {
                    assertThat(ring.millis(percentile, end, over))
                            .isEqualTo(sum.getValueAtPercentile(percentile) / 1_000.0);
                }
            }
        }
    }

    @Test
    void shortWindowOfThePast_readsTheBlockThatContainsIt() {
        DistributionRing ring = new DistributionRing(LENGTH, SINGLE);
        Random random = new Random(1);
        for (long second = 1_000; second < 1_000 + LENGTH; second++) {
            ring.put(second, distribution(random));
        }

        assertThat(ring.millis(50, 1_034, 5)).isEqualTo(ring.millis(50, 1_039, 10));
        assertThat(ring.millis(50, 995, 5)).isNaN();
    }

    /** It was answered with the 99th. */
    @Test
    void otherPercentile_isRefused() {
        assertThatThrownBy(() -> new DistributionRing(LENGTH, SINGLE).millis(90, 1_034, 5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("percentile 90");
    }

    @Test
    void clearAfter_removesLaterBlocks() {
        DistributionRing ring = new DistributionRing(LENGTH, SINGLE);
        Random random = new Random(1);
        for (long second = 1_000; second < 1_000 + LENGTH; second++) {
            ring.put(second, distribution(random));
        }

        ring.clearAfter(1_049);

        assertThat(ring.samples(1_049, 10)).isPositive();
        assertThat(ring.samples(1_299, 250)).isZero();
    }

    private static Distribution distribution(Random random) {
        Histogram recorder = Distribution.newRecorder();
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            Distribution.record(recorder, 1 + random.nextInt(1_000_000));
        }
        return Distribution.of(recorder);
    }
}
