package dev.komainu.agent.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class KnownPagesTest {

    private static final long T = 1_763_683_200_000_000L;
    private static final long HOUR = 3_600_000_000L;

    private final KnownPages memory = new KnownPages();

    @Test
    void path_isRememberedForAnHour_byItsServiceOnly() {
        memory.of("a").found(7, T);

        assertThat(memory.of("a").wasFound(7, T + HOUR)).isTrue();
        assertThat(memory.of("a").wasFound(7, T + HOUR + 1_000_000)).isFalse();
        assertThat(memory.of("b").wasFound(7, T)).isFalse();
        assertThat(memory.of("a").wasFound(8, T)).isFalse();
    }

    @Test
    void path_foundALittleLaterThanMissed_byAnotherThreadsClock_isRemembered() {
        memory.of("a").found(7, T + 2_000_000);

        assertThat(memory.of("a").wasFound(7, T)).isTrue();
    }

    @Test
    void services_beyondTheLimit_keepNoPages_theFirstContinue() {
        for (int i = 0; i < 256; i++) {
            memory.of("s" + i).found(7, T);
        }
        memory.of("one more").found(7, T);

        assertThat(memory.of("one more").wasFound(7, T)).isFalse();
        assertThat(memory.of("s255").wasFound(7, T)).isTrue();
    }

    /** The path not found for longest is evicted: pages that are requested all the time stay. */
    @Property(tries = 30)
    void paths_manyMoreThanPlaces_thoseInUseStay(@ForAll long seed) {
        Random random = new Random(seed);
        KnownPages.Pages pages = new KnownPages().of("a");
        long[] used = random.longs(64).toArray();
        long now = T;
        for (int round = 0; round < 200; round++) {
            now += 1_000_000;
            for (long path : used) {
                pages.found(path, now);
            }
            for (int i = 0; i < 50; i++) {
                pages.found(random.nextLong(), now - 500_000_000);
            }
        }
        int kept = 0;
        for (long path : used) {
            kept += pages.wasFound(path, now) ? 1 : 0;
        }
        assertThat(kept).isEqualTo(used.length);
        int invented = 0;
        for (int i = 0; i < 10_000; i++) {
            invented += pages.wasFound(random.nextLong(), now) ? 1 : 0;
        }
        assertThat(invented).isZero();
    }
}
