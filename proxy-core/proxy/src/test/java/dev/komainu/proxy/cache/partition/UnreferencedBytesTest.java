package dev.komainu.proxy.cache.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.PriorityPrefix;
import dev.komainu.proxy.cache.StoredRepresentation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The unreferenced bytes, compared with a model that checks each response each time. */
class UnreferencedBytesTest {

    private static final long WHOLE = 24_000;

    private final StoredAnswers answers = new StoredAnswers();

    private static PartitionSettings divided(String... prefixes) {
        return new PartitionSettings(
                PartitionMode.PARTITION,
                List.of(prefixes).stream().map(PriorityPrefix::parse).toList(),
                20,
                50);
    }

    private static CacheKey key(int number) {
        return CacheKey.of("host/" + number % 4 + "/" + number);
    }

    private static PartitionedEntries entries(CachePolicy policy) {
        return new PartitionedEntries(
                policy, divided("/0/", "/1/"), 3_000, WHOLE, StoredAnswers::onRemoval);
    }

    /** The steps: kind, key and size. */
    @Property(tries = 300)
    void anySteps_agreeWithTheModel(
            @ForAll @Size(max = 300) List<@IntRange(min = 0, max = 99_999) Integer> steps,
            @ForAll boolean lru) {
        PartitionedEntries entries = entries(lru ? CachePolicy.LRU : CachePolicy.W_TINYLFU);
        Set<CacheKey> referenced = new HashSet<>();
        Map<CacheKey, Boolean> pools = new HashMap<>();
        for (int step : steps) {
            CacheKey key = key(step % 40);
            int bytes = step / 40 % 100 * 30;
            long periods = entries.figures().periods();
            switch (step / 4_000) {
                case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 -> {
                    entries.put(key, answers.response(key, bytes));
                    if (entries.figures().periods() != periods) {
                        referenced.clear();
                    }
                    referenced.add(key);
                }
                case 20 -> entries.remove(key);
                case 21 -> {
                    // A period may end here, too: the room is for a new entry.
                    entries.dropColdest(bytes, key);
                    if (entries.figures().periods() != periods) {
                        referenced.clear();
                    }
                }
                case 22 -> {
                    entries.reload(divided("/" + step % 4 + "/"), 3_000);
                    referenced.clear();
                }
                case 23 -> {
                    entries.resettle(1 + step % 10);
                    if (entries.figures().periods() != periods) {
                        referenced.clear();
                    }
                }
                case 24 -> entries.dropColdest(bytes);
                default -> {
                    if (entries.get(key) != null) {
                        referenced.add(key);
                    }
                }
            }
            assertAgreement(entries, referenced, pools);
        }
        entries.dropAll();
        assertAgreement(entries, referenced, pools);
        assertThat(answers.heads()).as("each reported once").isZero();
    }

    private static void assertAgreement(
            PartitionedEntries entries, Set<CacheKey> referenced, Map<CacheKey, Boolean> pools) {
        long[] stored = new long[2];
        long[] unreferenced = new long[2];
        for (Map.Entry<CacheKey, CacheEntry> entry : entries.all()) {
            StoredRepresentation answer = (StoredRepresentation) entry.getValue();
            int pool = answer.isProtected() ? 1 : 0;
            stored[pool] += answer.weight();
            unreferenced[pool] += referenced.contains(entry.getKey()) ? 0 : answer.weight();
        }
        PartitionFigures figures = entries.figures();
        assertThat(figures.normal().storedBytes()).isEqualTo(stored[0]);
        assertThat(figures.guarded().storedBytes()).isEqualTo(stored[1]);
        assertThat(figures.normal().bytes()).isEqualTo(stored[0]);
        assertThat(figures.guarded().bytes()).isEqualTo(stored[1]);
        assertThat(figures.normal().unreferencedBytes()).isEqualTo(unreferenced[0]);
        assertThat(figures.guarded().unreferencedBytes()).isEqualTo(unreferenced[1]);
        assertThat(figures.normal().maximumBytes() + figures.guarded().maximumBytes())
                .isEqualTo(WHOLE);
        assertThat(entries.weight()).isLessThanOrEqualTo(WHOLE);
    }

    /** All interleavings are legal; at rest the totals are those of the present entries. */
    @Test
    void manyThreads_totalsAreExactAtRest() throws Exception {
        PartitionedEntries entries = entries(CachePolicy.W_TINYLFU);
        int count = 4;
        CyclicBarrier together = new CyclicBarrier(count);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < count; t++) {
            int number = t;
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    together.await();
                    Random random = new Random(number);
                    for (int i = 0; i < 10_000; i++) {
                        step(entries, random, number);
                    }
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failure.get()).isNull();
        while (!entries.resettle(100)) {}
        long[] stored = new long[2];
        entries.weight();
        for (Map.Entry<CacheKey, CacheEntry> entry : entries.all()) {
            StoredRepresentation answer = (StoredRepresentation) entry.getValue();
            assertThat(answer.isProtected()).isEqualTo(entries.isPriority(entry.getKey()));
            stored[answer.isProtected() ? 1 : 0] += answer.weight();
        }
        PartitionFigures figures = entries.figures();
        assertThat(figures.normal().storedBytes()).isEqualTo(stored[0]);
        assertThat(figures.guarded().storedBytes()).isEqualTo(stored[1]);
        // Nothing is referenced in a period that has just started; after lookups, exactly the bytes
        // of the found entries are.
        entries.reload(divided("/0/"), 3_000);
        while (!entries.resettle(100)) {}
        figures = entries.figures();
        assertThat(figures.normal().unreferencedBytes())
                .isEqualTo(figures.normal().storedBytes());
        entries.all().forEach(entry -> entries.get(entry.getKey()));
        assertThat(entries.figures().normal().unreferencedBytes()).isZero();
        assertThat(entries.figures().guarded().unreferencedBytes()).isZero();
        entries.dropAll();
        assertThat(answers.heads()).isZero();
    }

    private void step(PartitionedEntries entries, Random random, int number) {
        CacheKey key = key(random.nextInt(60));
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5 -> entries.put(key, answers.response(key, random.nextInt(2_500)));
            case 6 -> entries.remove(key);
            case 7 -> entries.dropColdest(500, key);
            case 8 -> {
                if (number == 0 && random.nextInt(20) == 0) {
                    entries.reload(divided("/" + random.nextInt(4) + "/"), 3_000);
                }
            }
            case 9, 10 -> {
                if (number < 2) {
                    entries.resettle(5);
                }
            }
            default -> entries.get(key);
        }
    }
}
