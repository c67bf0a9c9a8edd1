package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.BucketCounts;
import dev.komainu.telemetry.record.Distribution;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.HdrHistogram.Histogram;

class PackedCountsTest {

    /** Gaps and counts of one byte, and those that need numbers of their own. */
    @Property(tries = 300)
    void packedAndUnpacked_isTheSame(@ForAll long seed) {
        Random random = new Random(seed);
        Histogram recorder = Distribution.newRecorder();
        int values = random.nextInt(80);
        for (int i = 0; i < values; i++) {
            recorder.recordValueWithCount(
                    (long) Math.exp(random.nextDouble() * 22),
                    1 + random.nextInt(random.nextInt(5) == 0 ? 2_000_000_000 : 4));
        }
        Distribution distribution = Distribution.of(recorder);
        BucketCounts unpacked = BucketCounts.take();
        PackedCounts.addTo(PackedCounts.of(distribution), unpacked);

        assertThat(Distribution.of(unpacked)).isEqualTo(distribution);
        assertThat(PackedCounts.of(unpacked)).isEqualTo(PackedCounts.of(distribution));
        unpacked.release();
    }
}
