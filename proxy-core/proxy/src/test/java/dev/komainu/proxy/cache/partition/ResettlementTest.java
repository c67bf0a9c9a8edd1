package dev.komainu.proxy.cache.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.PriorityPrefix;
import dev.komainu.proxy.cache.VaryRule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A change of prefixes with stored entries: each entry changes pools, none is lost, and no purge
 * misses an entry that is being moved.
 */
class ResettlementTest {

    private static final int COUNT = 100;
    private static final int WEIGHT = 100;

    private final Map<CacheEntry, Integer> left = new HashMap<>();

    private static PartitionSettings settings(PartitionMode mode, String... prefixes) {
        return new PartitionSettings(
                mode, List.of(prefixes).stream().map(PriorityPrefix::parse).toList(), 20, 20);
    }

    private static PartitionSettings partition(String... prefixes) {
        return settings(PartitionMode.PARTITION, prefixes);
    }

    private PartitionedEntries entries(CachePolicy policy, PartitionSettings settings) {
        return new PartitionedEntries(
                policy, settings, WEIGHT, 2 * COUNT * WEIGHT, (key, entry, byPolicy) -> {
                    synchronized (left) {
                        left.merge(entry, 1, Integer::sum);
                    }
                });
    }

    private static CacheKey key(int number) {
        return CacheKey.of("h/" + number % 2 + "/" + number);
    }

    private static VaryRule entry(int number) {
        return new VaryRule(List.of(), number, WEIGHT);
    }

    private static void fill(PartitionedEntries entries) {
        for (int i = 0; i < COUNT; i++) {
            entries.put(key(i), entry(i));
        }
    }

    private static void resettleAll(PartitionedEntries entries) {
        for (int i = 0; !entries.resettle(7); i++) {
            assertThat(i).isLessThan(1_000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void otherPrefixes_eachEntryIsFoundAtEachStep_andInItsPoolAtTheEnd(CachePolicy policy) {
        PartitionedEntries entries = entries(policy, partition("/0/"));
        fill(entries);
        assertThat(entries.figures().guarded().bytes()).isEqualTo(COUNT / 2 * WEIGHT);
        assertThat(entries.reload(partition("/1/", "/none/"), WEIGHT)).isTrue();
        assertThat(entries.figures().toResettle()).isEqualTo(COUNT);
        for (boolean done = false; !done; done = entries.resettle(7)) {
            for (int i = 0; i < COUNT; i++) {
                assertThat(entries.get(key(i))).isEqualTo(entry(i));
            }
            assertThat(entries.count()).isEqualTo(COUNT);
            assertThat(entries.weight()).isEqualTo(COUNT * WEIGHT);
        }
        assertThat(left).isEmpty();
        PartitionFigures figures = entries.figures();
        assertThat(figures.moved()).isEqualTo(COUNT);
        assertThat(figures.resettled()).isEqualTo(figures.toResettle());
        assertThat(figures.guarded().bytes()).isEqualTo(COUNT / 2 * WEIGHT);
        assertThat(figures.normal().bytes()).isEqualTo(COUNT / 2 * WEIGHT);
        assertThat(figures.guarded().entries()).isEqualTo(COUNT / 2);
        for (int i = 0; i < COUNT; i++) {
            assertThat(entries.isPriority(key(i))).isEqualTo(i % 2 == 1);
            assertThat(entries.get(key(i))).isEqualTo(entry(i));
        }
    }

    @ParameterizedTest
    @EnumSource
    void modes_changeBackAndForth_withoutLoss(CachePolicy policy) {
        PartitionedEntries entries = entries(policy, settings(PartitionMode.SINGLE, "/0/"));
        fill(entries);
        assertThat(entries.figures().guarded().maximumBytes()).isZero();
        for (PartitionMode mode : List.of(
                PartitionMode.BASIC,
                PartitionMode.PARTITION,
                PartitionMode.SINGLE,
                PartitionMode.PARTITION)) {
            entries.reload(settings(mode, "/0/"), WEIGHT);
            resettleAll(entries);
            int guarded = mode == PartitionMode.SINGLE ? 0 : COUNT / 2;
            assertThat(entries.figures().guarded().bytes()).isEqualTo((long) guarded * WEIGHT);
            assertThat(entries.count()).isEqualTo(COUNT);
        }
        entries.reload(settings(PartitionMode.SINGLE, "/0/"), WEIGHT);
        resettleAll(entries);
        assertThat(entries.figures().guarded().maximumBytes())
                .as("all entries are in one pool again")
                .isZero();
        assertThat(left).isEmpty();
    }

    @Test
    void writes_beforeTheEntryMoved_findIt() {
        PartitionedEntries entries = entries(CachePolicy.LRU, partition("/0/"));
        fill(entries);
        entries.reload(partition("/1/"), WEIGHT);
        // The entry is still in the other pool: each kind of write finds it there, and puts its
        // result into the key's own pool.
        assertThat(entries.remove(key(0))).isEqualTo(entry(0));
        assertThat(entries.remove(key(1), entries.get(key(1)))).isTrue();
        assertThat(entries.replace(key(2), entries.get(key(2)), entry(1002))).isTrue();
        entries.put(key(3), entry(1003));
        entries.compute(key(4), WEIGHT, (key, before) -> {
            assertThat(before).isEqualTo(entry(4));
            return entry(1004);
        });
        entries.compute(key(5), WEIGHT, (key, before) -> before);
        entries.compute(key(6), WEIGHT, (key, before) -> null);
        assertThat(entries.replace(key(7), entry(99), entry(1007))).isFalse();
        resettleAll(entries);
        assertThat(entries.count()).isEqualTo(COUNT - 3);
        for (int gone : new int[] {0, 1, 6}) {
            assertThat(entries.get(key(gone))).isNull();
        }
        for (int fresh : new int[] {2, 3, 4}) {
            assertThat(entries.get(key(fresh))).isEqualTo(entry(1000 + fresh));
        }
        assertThat(entries.get(key(5))).isEqualTo(entry(5));
        assertThat(left)
                .containsOnlyKeys(entry(0), entry(1), entry(2), entry(3), entry(4), entry(6))
                .allSatisfy((entry, times) -> assertThat(times).isEqualTo(1));
    }

    /**
     * A purge by prefix checks each entry once; no entry may move past it from one pool to the
     * other.
     */
    @Test
    void withoutMoves_preventsMoves() throws Exception {
        PartitionedEntries entries = entries(CachePolicy.W_TINYLFU, partition("/0/"));
        fill(entries);
        entries.reload(partition("/1/"), WEIGHT);
        entries.withoutMoves(() -> {
            AtomicReference<Boolean> done = new AtomicReference<>();
            Thread mover = Thread.ofPlatform().start(() -> done.set(entries.resettle(1_000)));
            try {
                mover.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            assertThat(done).hasValue(false);
            assertThat(entries.figures().moved()).isZero();
            List<CacheKey> seen = new ArrayList<>();
            entries.all().forEach(entry -> seen.add(entry.getKey()));
            assertThat(seen).hasSize(COUNT).doesNotHaveDuplicates();
            seen.forEach(entries::remove);
        });
        resettleAll(entries);
        assertThat(entries.count()).isZero();
        assertThat(left).hasSize(COUNT);
    }

    /**
     * Readers, purges and stores while pools change all the time: entries that were not dropped are
     * found, dropped ones are never found again.
     */
    @ParameterizedTest
    @EnumSource
    void manyThreads_noEntryIsLostAndNoPurgeIsMissed(CachePolicy policy) throws Exception {
        PartitionedEntries entries = entries(policy, partition("/0/"));
        int each = 20;
        int threads = 3;
        AtomicInteger made = new AtomicInteger(COUNT);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        CountDownLatch over = new CountDownLatch(threads);
        CyclicBarrier together = new CyclicBarrier(threads + 1);
        List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int own = t * each;
            all.add(Thread.ofPlatform().start(() -> {
                try {
                    together.await();
                    // Each thread writes its own keys only, so it knows the expected entries: all
                    // of them fit.
                    ownKeys(entries, own, each, made);
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                } finally {
                    over.countDown();
                }
            }));
        }
        together.await();
        for (int i = 0; over.getCount() > 0; i++) {
            entries.reload(partition("/" + i % 2 + "/"), WEIGHT);
            while (over.getCount() > 0 && !entries.resettle(3)) {}
        }
        for (Thread thread : all) {
            thread.join();
        }
        resettleAll(entries);
        assertThat(failure.get()).isNull();
        PartitionFigures figures = entries.figures();
        assertThat(figures.guarded().bytes() + figures.normal().bytes())
                .isEqualTo(entries.count() * WEIGHT);
        assertThat(left.values()).allSatisfy(times -> assertThat(times).isEqualTo(1));
        assertThat(left.size() + entries.count()).isEqualTo(made.get() - COUNT);
    }

    private static void ownKeys(PartitionedEntries entries, int own, int each, AtomicInteger made) {
        Random random = new Random(own);
        Map<CacheKey, CacheEntry> mine = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            CacheKey key = key(own + random.nextInt(each));
            CacheEntry expected = mine.get(key);
            assertThat(entries.get(key)).isSameAs(expected);
            if (random.nextInt(4) == 0) {
                VaryRule fresh = entry(made.getAndIncrement());
                if (expected == null || random.nextBoolean()) {
                    entries.put(key, fresh);
                } else {
                    assertThat(entries.replace(key, expected, fresh)).isTrue();
                }
                mine.put(key, fresh);
            } else if (random.nextInt(4) == 0) {
                assertThat(entries.remove(key)).isSameAs(expected);
                mine.remove(key);
            }
        }
    }
}
