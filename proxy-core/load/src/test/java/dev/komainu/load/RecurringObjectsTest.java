package dev.komainu.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecurringObjectsTest {

    private static final double PER_SECOND = 300;

    @Test
    void next_perfectCache_hasTheConfiguredHitRatio() {
        var wishes = new RecurringObjects(
                0.55, 0.8, ObjectSizes.exponential(10_240), 0.7, new Random(1));
        Set<String> cache = new HashSet<>();
        int hits = 0;
        int requested = 0;
        for (int i = 0; i < 60_000; i++) {
            double second = i / PER_SECOND;
            String wish = wishes.next(second);
            boolean hit = cache.contains(wish);
            if (wish.endsWith("/keep")) {
                cache.add(wish);
            }
            if (second > 10) {
                requested++;
                hits += hit ? 1 : 0;
            }
        }
        assertThat((double) hits / requested).isCloseTo(0.55, within(0.03));
    }

    @Test
    void next_newObjects_haveTheMeanSizeAndTheCachableShare() {
        var wishes =
                new RecurringObjects(0, 0.8, ObjectSizes.exponential(10_240), 0.7, new Random(1));
        double bytes = 0;
        int kept = 0;
        for (int i = 0; i < 40_000; i++) {
            String[] parts = wishes.next(0).split("/");
            bytes += Long.parseLong(parts[3]);
            kept += "keep".equals(parts[4]) ? 1 : 0;
        }
        assertThat(bytes / 40_000).isCloseTo(10_240, within(250.0));
        assertThat(kept / 40_000.0).isCloseTo(0.8, within(0.02));
    }

    @Test
    void next_youngObjects_areNotRequestedAgain() {
        var wishes =
                new RecurringObjects(0.8, 0.8, ObjectSizes.exponential(10_240), 0.7, new Random(1));
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            assertThat(seen.add(wishes.next(RecurringObjects.YOUNG_SECONDS * i / 1_001)))
                    .isTrue();
        }
        assertThat(seen).contains(wishes.next(2 * RecurringObjects.YOUNG_SECONDS));
    }

    @Test
    void rank_popularFirst_staysWithinTheCount() {
        assertThat(ZipfPages.rank(200, 0.7, 0)).isZero();
        assertThat(ZipfPages.rank(200, 0.7, 0.999999)).isEqualTo(199);
        assertThat(ZipfPages.rank(1, 0.7, 0.5)).isZero();
        assertThat(ZipfPages.rank(200, 0, 0.5)).isEqualTo(100);
    }

    @Test
    void parse_rangeOfAddresses_crossesTheOctet() {
        VisitorAddresses visitors = VisitorAddresses.parse("10.91.0.254+4");

        assertThat(visitors.address(0).getHostAddress()).isEqualTo("10.91.0.254");
        assertThat(visitors.address(3).getHostAddress()).isEqualTo("10.91.1.1");
        assertThat(visitors.address(4)).isEqualTo(visitors.address(0));
    }
}
