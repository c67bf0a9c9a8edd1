package dev.komainu.telemetry.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class BucketCountsTest {

    private static final double[] PERCENTILES = {0.1, 10, 50, 95, 99, 100};

    @Property(tries = 300)
    void sum_isThatOfTheLibrary(@ForAll long seed) {
        Random random = new Random(seed);
        Histogram library = Distribution.newRecorder();
        BucketCounts counts = BucketCounts.take();
        int parts = random.nextInt(4);
        for (int part = 0; part < parts; part++) {
            Histogram recorder = Distribution.newRecorder();
            int values = random.nextInt(60);
            for (int i = 0; i < values; i++) {
                recorder.recordValueWithCount(
                        Math.min(
                                Distribution.MAX_MICROS, (long) Math.exp(random.nextDouble() * 23)),
                        1 + random.nextInt(random.nextInt(10) == 0 ? 1_000_000 : 3));
            }
            Distribution distribution = Distribution.of(recorder);
            distribution.addTo(library);
            counts.add(distribution);
        }
        short[] buckets = new short[PERCENTILES.length];
        counts.percentiles(PERCENTILES, buckets);

        assertThat(counts.total()).isEqualTo(library.getTotalCount());
        assertThat(Distribution.of(counts)).isEqualTo(Distribution.of(library));
        for (int i = 0; i < PERCENTILES.length; i++) {
            if (library.getTotalCount() == 0) {
                assertThat(buckets[i]).isEqualTo(BucketCounts.NONE);
            } else {
                assertThat(Distribution.highestMicros(buckets[i]))
                        .as("percentile %s", PERCENTILES[i])
                        .isEqualTo(library.getValueAtPercentile(PERCENTILES[i]));
            }
        }
        counts.release();
    }

    @Test
    void takeAfterRelease_isEmpty() {
        BucketCounts counts = BucketCounts.take();
        counts.add(7, 3);
        counts.release();

        BucketCounts again = BucketCounts.take();
        again.add(2_000, 1);
        short[] buckets = new short[PERCENTILES.length];
        again.percentiles(PERCENTILES, buckets);

        assertThat(again.total()).isEqualTo(1);
        assertThat(buckets).containsOnly((short) 2_000);
        again.release();
    }
}
