package dev.komainu.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class DiskIndexTest {

    private record Expected(long place, long length, boolean soft) {}

    /**
     * Few hashes, most of them neighbours in one table: they probe past each other, and wrap around
     * its end.
     */
    private static long hash(Random random) {
        return random.nextInt(8) == 0
                ? random.nextLong()
                : random.nextInt(200) - 20 & 0x3FFFFFFFFFFFFFFL;
    }

    @Property(tries = 200)
    void anySteps_agreeWithAMap(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 600) int steps) {
        Random random = new Random(seed);
        DiskIndex index = new DiskIndex();
        Map<Long, Expected> model = new HashMap<>();
        for (int i = 1; i <= steps; i++) {
            long hash = hash(random);
            Expected known = model.get(hash);
            switch (random.nextInt(7)) {
                case 0, 1, 2 -> {
                    long place = DiskIndex.place(1 + i / 50, 16L * i);
                    assertThat(index.put(hash, place, 16L * i, 0, i))
                            .isEqualTo(known == null ? -1 : known.place);
                    model.put(hash, new Expected(place, 16L * i, false));
                }
                case 3 -> assertThat(index.remove(hash)).isEqualTo(model.remove(hash) != null);
                case 4 -> {
                    long segment = 1 + random.nextInt(1 + i / 50);
                    long gone = model.values().stream()
                            .filter(each -> each.place >>> 32 == segment)
                            .count();
                    assertThat(index.removeSegment(segment)).isEqualTo((int) gone);
                    model.values().removeIf(each -> each.place >>> 32 == segment);
                }
                case 5 -> {
                    if (known != null) {
                        index.mark(hash, known.place, DiskIndex.SOFT);
                        index.mark(hash, known.place + 1, DiskIndex.HIT);
                        model.put(hash, new Expected(known.place, known.length, true));
                    }
                }
                default -> {
                    long before = DiskIndex.place(1 + random.nextInt(1 + i / 50), 0);
                    boolean older = known != null && known.place < before;
                    assertThat(index.removeBefore(hash, before)).isEqualTo(older);
                    if (older) {
                        model.remove(hash);
                    }
                }
            }
        }
        assertThat(index.size()).isEqualTo(model.size());
        model.forEach((hash, known) -> {
            DiskIndex.Entry entry = index.find(hash);
            assertThat(entry).isNotNull();
            assertThat(new Expected(entry.place(), entry.length(), entry.soft()))
                    .isEqualTo(known);
            assertThat(entry.hit()).isFalse();
            assertThat(entry.representationHash()).isEqualTo((int) (entry.length() / 16));
        });
    }

    @Test
    void move_onlyFromThePresentPlace_clearsTheHit() {
        DiskIndex index = new DiskIndex();
        index.put(7, 100, 32, DiskIndex.HIT | DiskIndex.SOFT, 5);
        assertThat(index.move(7, 99, 200, false)).isFalse();
        assertThat(index.move(7, 100, 200, false)).isTrue();
        assertThat(index.find(7))
                .isEqualTo(new DiskIndex.Entry(200, 32, false, true, false, false, 5));
    }

    @Test
    void guardedBytes_afterAnyChanges_areThoseOfTheMarkedRecords() {
        Random random = new Random(7);
        DiskIndex index = new DiskIndex();
        Map<Long, long[]> model = new HashMap<>(); // hash → place, length, guarded
        for (int step = 0; step < 40_000; step++) {
            long hash = random.nextInt(3_000) * 0x9E3779B97F4A7C15L;
            long place = DiskIndex.place(1 + step / 2_000, 16L * (1 + step % 2_000));
            long[] known = model.get(hash);
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    long length = 16L * (1 + random.nextInt(1_000));
                    boolean guarded = random.nextBoolean();
                    index.put(hash, place, length, guarded ? DiskIndex.GUARDED : 0, 0);
                    model.put(hash, new long[] {place, length, guarded ? 1 : 0});
                }
                case 2 -> {
                    boolean guarded = random.nextBoolean();
                    if (known != null && index.move(hash, known[0], place, guarded)) {
                        model.put(hash, new long[] {place, known[1], guarded ? 1 : 0});
                    }
                }
                case 3 -> {
                    index.remove(hash);
                    model.remove(hash);
                }
                default -> {
                    if (known != null) {
                        index.mark(hash, known[0], DiskIndex.HIT);
                    }
                    if (step % 500 == 0) {
                        long segment = 1 + random.nextInt(1 + step / 2_000);
                        index.removeSegment(segment);
                        model.values().removeIf(each -> each[0] >>> 32 == segment);
                    }
                }
            }
        }
        assertThat(index.size()).isEqualTo(model.size());
        assertThat(index.guardedBytes())
                .isPositive()
                .isEqualTo(model.values().stream()
                        .mapToLong(each -> each[1] * each[2])
                        .sum());
    }
}
