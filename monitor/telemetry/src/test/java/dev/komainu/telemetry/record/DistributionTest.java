package dev.komainu.telemetry.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.DataFormatException;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;

/** The bytes of a distribution, compared with the library's own decoder. */
class DistributionTest {

    private static final int HEADER_BYTES = 40;

    @Property(tries = 500)
    void decodedDistribution_equalsTheLibrarysHistogram(@ForAll long seed) throws Exception {
        Histogram recorded = recorded(new Random(seed));
        Distribution distribution = Distribution.of(recorded);

        byte[] encoded = distribution.encoded();
        Histogram library = byLibrary(encoded);
        Histogram copy = distribution.toHistogram();
        assertThat(copy).isEqualTo(library);
        for (double percentile : List.of(0.0, 50.0, 95.0, 99.0, 100.0)) {
            assertThat(copy.getValueAtPercentile(percentile))
                    .isEqualTo(library.getValueAtPercentile(percentile));
        }
        assertThat(copy.getMaxValue()).isEqualTo(library.getMaxValue());
        assertThat(copy.getMinNonZeroValue()).isEqualTo(library.getMinNonZeroValue());
        assertThat(Distribution.ofEncoded(encoded).count()).isEqualTo(library.getTotalCount());
    }

    @Property(tries = 200)
    void sum_equalsTheLibrarysSum(@ForAll long seed) {
        Random random = new Random(seed);
        Histogram one = recorded(random);
        Histogram other = recorded(random);

        Histogram sum = Distribution.of(one).toHistogram();
        Distribution.of(other).addTo(sum);

        one.add(other);
        assertThat(sum).isEqualTo(one);
    }

    /** Equal bytes: distributions are compared by them. */
    @Property(tries = 500)
    void smallRecorder_givesTheSameBytes(@ForAll long seed) {
        Random random = new Random(seed);
        Histogram whole = Distribution.newRecorder();
        AbstractHistogram small = Distribution.newSmallRecorder();
        for (int window = 0; window < 3; window++) {
            for (int i = random.nextInt(100); i >= 0; i--) {
                long micros = 1L << random.nextInt(40);
                Distribution.record(whole, micros);
                Distribution.record(small, micros);
            }
            assertThat(Distribution.of(small)).isEqualTo(Distribution.of(whole));
            whole.reset();
            small.reset();
        }
    }

    /** A host with a hundred services has nine of them each. */
    @Example
    void smallRecorder_ofUsualDurations_takesLessThanAThirdOfTheMemory() {
        AbstractHistogram small = Distribution.newSmallRecorder();
        Distribution.record(small, 100_000);
        assertThat(small.getEstimatedFootprintInBytes())
                .isLessThan(Distribution.newRecorder().getEstimatedFootprintInBytes() / 3);
    }

    /** No bytes may lead to another exception, or to a count that the library does not see. */
    @Property(tries = 2_000)
    void changedBytes_areRefusedOrReadAsTheLibraryReadsThem(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        byte[] encoded = Distribution.of(recorded(random)).encoded();
        for (int i = 0; i <= random.nextInt(3) && encoded.length > 0; i++) {
            encoded[random.nextInt(encoded.length)] = (byte) random.nextInt(256);
        }
        if (encoded.length > 0 && random.nextInt(4) == 0) {
            encoded = Arrays.copyOf(encoded, random.nextInt(encoded.length));
        }

        Distribution read;
        try {
            read = Distribution.ofEncoded(encoded);
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("bytes");
            return;
        }
        long library = byLibrary(encoded).getTotalCount();
        assertThat(read.count()).isEqualTo(library);
        assertThat(read.toHistogram().getTotalCount()).isEqualTo(library);
    }

    @Example
    void runBeyondTheLastBucket_isRefused() {
        byte[] encoded = Distribution.of(recorded(new Random(1))).encoded();
        ByteBuffer.wrap(encoded).putInt(4, 2);
        encoded[HEADER_BYTES] = (byte) 0xFF;
        encoded[HEADER_BYTES + 1] = 0x7F; // −8192: a run of 8,192 empty buckets

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Distribution.ofEncoded(encoded))
                .withMessageContaining("bucket 8192");
    }

    @Example
    void longestDuration_isKept() {
        Histogram recorder = Distribution.newRecorder();
        Distribution.record(recorder, Long.MAX_VALUE);

        Distribution distribution =
                Distribution.ofEncoded(Distribution.of(recorder).encoded());

        assertThat(distribution.toHistogram()).isEqualTo(recorder);
    }

    /** Nothing recorded has no bytes. */
    private static Histogram byLibrary(byte[] encoded) throws DataFormatException {
        return encoded.length == 0
                ? Distribution.newRecorder()
                : Histogram.decodeFromByteBuffer(ByteBuffer.wrap(encoded), 1);
    }

    private static Histogram recorded(Random random) {
        Histogram histogram = Distribution.newRecorder();
        int durations = random.nextInt(60);
        for (int i = 0; i < durations; i++) {
            long micros = Math.round(Math.exp(random.nextDouble() * 23));
            long count = random.nextInt(20) == 0 ? 1L << random.nextInt(50) : 1;
            histogram.recordValueWithCount(Math.min(micros - 1, Distribution.MAX_MICROS), count);
        }
        return histogram;
    }
}
