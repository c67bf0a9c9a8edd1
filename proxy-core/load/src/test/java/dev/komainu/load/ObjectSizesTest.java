package dev.komainu.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ObjectSizesTest {

    private static final int DRAWS = 200_000;

    private static long[] draws(String sizes) {
        Random random = new Random(7);
        ObjectSizes some = ObjectSizes.parse(sizes);
        return LongStream.generate(() -> some.draw(random)).limit(DRAWS).toArray();
    }

    @Test
    void draw_exponential_hasItsMean() {
        assertThat(LongStream.of(draws("exponential:10240")).average().orElse(0))
                .isCloseTo(10_240, within(150.0));
    }

    @Test
    void draw_organizer_hasThePapersSharesAndMean() {
        long[] sizes = draws("organizer");

        assertThat(share(sizes, 0, 1_000)).isCloseTo(0.35, within(0.01));
        assertThat(share(sizes, 1_000, 10_000)).isCloseTo(0.5, within(0.01));
        assertThat(share(sizes, 10_000, 100_000)).isCloseTo(0.14, within(0.005));
        assertThat(share(sizes, 100_000, 1_000_000)).isCloseTo(0.009, within(0.002));
        // The paper has 19.5 KB.
        assertThat(LongStream.of(sizes).average().orElse(0)).isBetween(17_000.0, 24_000.0);
    }

    @Test
    void draw_surge_hasABodyAndATail() {
        long[] sizes = draws("surge");

        assertThat(share(sizes, 133_000, Long.MAX_VALUE)).isBetween(0.07, 0.11);
        assertThat(LongStream.of(sizes).sorted().skip(DRAWS / 2).findFirst().orElse(0))
                .isBetween(11_000L, 14_000L);
        assertThat(LongStream.of(sizes).max().orElse(0))
                .isLessThanOrEqualTo(ObjectSizes.LARGEST_BYTES);
    }

    @Test
    void parse_invalid_reportsThePossibleValues() {
        for (String wrong :
                new String[] {"", "pareto", "fixed:1", "exponential:x", "fixed:99999999999"}) {
            assertThatThrownBy(() -> ObjectSizes.parse(wrong))
                    .hasMessageStartingWith("--sizes: " + wrong + " (expected:");
        }
    }

    private static double share(long[] sizes, long above, long upTo) {
        return LongStream.of(sizes).filter(s -> s > above && s <= upTo).count()
                / (double) sizes.length;
    }
}
