package dev.komainu.proxy.cache.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.HitForMiss;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The contract of the entries of all policies. */
abstract class CacheEntriesContract implements CacheEntries.RemovalListener {

    static final long MAXIMUM = 1_000;

    /** The removed entries, with the number of their removals. */
    final Map<CacheEntry, AtomicInteger> removals = new ConcurrentHashMap<>();

    final AtomicInteger evicted = new AtomicInteger();
    private final AtomicLong numbers = new AtomicLong();

    abstract CacheEntries entries(long maximum);

    /** The entries reported as evicted to make room. */
    final Map<CacheEntry, AtomicInteger> evictions = new ConcurrentHashMap<>();

    @Override
    public final void onEviction(CacheKey key, CacheEntry entry) {
        assertThat(removalsOf(entry)).isZero();
        evictions.computeIfAbsent(entry, e -> new AtomicInteger()).incrementAndGet();
    }

    @Override
    public final void onRemoval(CacheKey key, CacheEntry entry, boolean byPolicy) {
        removals.computeIfAbsent(entry, e -> new AtomicInteger()).incrementAndGet();
        if (byPolicy) {
            evicted.incrementAndGet();
        }
    }

    static CacheKey key(int number) {
        return CacheKey.of("host/" + number);
    }

    /** Returns an entry that is equal to no other. */
    final CacheEntry entry(int weight) {
        return new HitForMiss(numbers.incrementAndGet(), weight);
    }

    private int removalsOf(CacheEntry entry) {
        AtomicInteger times = removals.get(entry);
        return times == null ? 0 : times.get();
    }

    private static Map<CacheKey, CacheEntry> content(CacheEntries entries) {
        Map<CacheKey, CacheEntry> all = new HashMap<>();
        entries.all().forEach(e -> all.put(e.getKey(), e.getValue()));
        return all;
    }

    @Test
    void put_beyondTheMaximum_evictsUntilItHolds_andReportsEachOnce() {
        CacheEntries entries = entries(MAXIMUM);
        List<CacheEntry> made = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            CacheEntry entry = entry(1 + i % 40);
            made.add(entry);
            entries.put(key(i), entry);
            assertThat(entries.weight()).isLessThanOrEqualTo(MAXIMUM);
        }
        Map<CacheKey, CacheEntry> there = content(entries);
        assertThat(there).isNotEmpty();
        assertThat(entries.count()).isEqualTo(there.size());
        assertThat(evicted).hasValue(500 - there.size());
        for (CacheEntry entry : made) {
            assertThat(removalsOf(entry)).isEqualTo(there.containsValue(entry) ? 0 : 1);
        }
        assertThat(entries.weight())
                .isEqualTo(there.values().stream().mapToLong(CacheEntry::weight).sum());
    }

    @Test
    void evicted_isReportedBeforeItsRemoval_droppedOrReplacedIsNot() {
        CacheEntries entries = entries(MAXIMUM);
        CacheEntry replaced = entry(10);
        CacheEntry removed = entry(10);
        entries.put(key(-1), replaced);
        entries.put(key(-1), removed);
        entries.remove(key(-1));
        List<CacheEntry> made = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            CacheEntry entry = entry(20);
            made.add(entry);
            entries.put(key(i), entry);
        }
        entries.dropColdest(200);
        assertThat(evictions).doesNotContainKeys(replaced, removed);
        for (CacheEntry entry : made) {
            AtomicInteger reported = evictions.get(entry);
            assertThat(reported == null ? 0 : reported.get()).isEqualTo(removalsOf(entry));
        }
        assertThat(evictions).hasSizeGreaterThan(150);
    }

    @Test
    void put_heavierThanTheMaximum_isRemovedAtOnce() {
        CacheEntries entries = entries(MAXIMUM);
        CacheEntry heavy = entry((int) MAXIMUM + 1);
        entries.put(key(1), heavy);
        assertThat(entries.weight()).isZero();
        assertThat(entries.get(key(1))).isNull();
        assertThat(removalsOf(heavy)).isEqualTo(1);
    }

    @Test
    void put_underTheSameKey_reportsThePrevious_andWeighsTheNewOnly() {
        CacheEntries entries = entries(MAXIMUM);
        CacheEntry first = entry(300);
        CacheEntry second = entry(200);
        entries.put(key(1), first);
        entries.put(key(1), second);
        assertThat(entries.get(key(1))).isSameAs(second);
        assertThat(removalsOf(first)).isEqualTo(1);
        assertThat(entries.weight()).isEqualTo(200);
        assertThat(evicted).hasValue(0);
    }

    @Test
    void replace_onlyReplacesTheExpectedEntry() {
        CacheEntries entries = entries(MAXIMUM);
        CacheEntry first = entry(10);
        CacheEntry second = entry(20);
        CacheEntry third = entry(30);
        assertThat(entries.replace(key(1), first, second)).isFalse();
        entries.put(key(1), first);
        assertThat(entries.replace(key(1), first, second)).isTrue();
        assertThat(entries.replace(key(1), first, third)).isFalse();
        assertThat(entries.get(key(1))).isSameAs(second);
        assertThat(removalsOf(first)).isEqualTo(1);
        assertThat(removalsOf(second)).isZero();
        assertThat(removalsOf(third)).isZero();
        assertThat(entries.weight()).isEqualTo(20);
    }

    @Test
    void compute_keepsReplacesAndRemoves() {
        CacheEntries entries = entries(MAXIMUM);
        CacheEntry first = entry(10);
        CacheEntry second = entry(20);
        entries.compute(key(1), 0, (key, before) -> {
            assertThat(before).isNull();
            return null;
        });
        assertThat(entries.count()).isZero();
        entries.compute(key(1), first.weight(), (key, before) -> first);
        entries.compute(key(1), 0, (key, before) -> before);
        assertThat(removalsOf(first)).isZero();
        entries.compute(key(1), second.weight(), (key, before) -> second);
        assertThat(removalsOf(first)).isEqualTo(1);
        assertThat(entries.weight()).isEqualTo(20);
        entries.compute(key(1), 0, (key, before) -> null);
        assertThat(removalsOf(second)).isEqualTo(1);
        assertThat(entries.weight()).isZero();
        assertThat(entries.get(key(1))).isNull();
    }

    @Test
    void remove_removesAnyEntry_orOnlyTheGivenOne() {
        CacheEntries entries = entries(MAXIMUM);
        CacheEntry first = entry(10);
        entries.put(key(1), first);
        assertThat(entries.remove(key(1), entry(10))).isFalse();
        assertThat(entries.remove(key(2))).isNull();
        assertThat(entries.remove(key(1), first)).isTrue();
        assertThat(entries.remove(key(1))).isNull();
        entries.put(key(1), first);
        assertThat(entries.remove(key(1))).isSameAs(first);
        assertThat(removalsOf(first)).isEqualTo(2);
        assertThat(entries.weight()).isZero();
    }

    @Test
    void dropColdest_dropsAtLeastOneAndAtMostTheWeight() {
        CacheEntries entries = entries(MAXIMUM);
        for (int i = 0; i < 10; i++) {
            entries.put(key(i), entry(100));
        }
        assertThat(entries.dropColdest(250)).isEqualTo(2);
        assertThat(entries.weight()).isEqualTo(800);
        assertThat(entries.dropColdest(1)).isEqualTo(1);
        assertThat(entries.weight()).isEqualTo(700);
        assertThat(removals).hasSize(3);
        assertThat(evicted)
                .as("reported as drops, not as evictions by the policy")
                .hasValue(0);
        assertThat(entries.dropColdest(10_000)).isEqualTo(7);
        assertThat(entries.dropColdest(10_000)).isZero();
    }

    @Test
    void maximum_lowered_holdsAtOnce() {
        CacheEntries entries = entries(MAXIMUM);
        for (int i = 0; i < 100; i++) {
            entries.put(key(i), entry(10));
        }
        entries.maximum(300);
        assertThat(entries.weight()).isLessThanOrEqualTo(300).isPositive();
        assertThat(evicted.get()).isEqualTo(100 - (int) entries.count());
    }

    @Test
    void dropAll_leavesNothingAndReportsEach() {
        CacheEntries entries = entries(MAXIMUM);
        for (int i = 0; i < 50; i++) {
            entries.put(key(i), entry(10));
        }
        entries.dropAll();
        assertThat(entries.count()).isZero();
        assertThat(entries.weight()).isZero();
        assertThat(removals)
                .hasSize(50)
                .allSatisfy((entry, times) -> assertThat(times).hasValue(1));
    }

    /**
     * All interleavings are legal. In each of them, every entry is either present or was reported
     * once, and the weight is that of the present entries.
     */
    @Test
    void manyThreads_eachEntryIsPresentOrReportedOnce() throws Exception {
        CacheEntries entries = entries(MAXIMUM);
        Queue<CacheEntry> entered = new ConcurrentLinkedQueue<>();
        int count = 4;
        CyclicBarrier together = new CyclicBarrier(count);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < count; t++) {
            Random random = new Random(t);
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    together.await();
                    for (int i = 0; i < 20_000; i++) {
                        step(entries, random, entered);
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failure.get()).isNull();
        long weight = entries.weight();
        Map<CacheKey, CacheEntry> there = content(entries);
        assertThat(weight)
                .isLessThanOrEqualTo(MAXIMUM)
                .isEqualTo(there.values().stream().mapToLong(CacheEntry::weight).sum());
        for (CacheEntry entry : entered) {
            assertThat(removalsOf(entry)).isEqualTo(there.containsValue(entry) ? 0 : 1);
        }
        assertThat(removals.size() + there.size()).isEqualTo(entered.size());
    }

    private void step(CacheEntries entries, Random random, Queue<CacheEntry> entered) {
        CacheKey key = key(random.nextInt(60));
        CacheEntry fresh = entry(1 + random.nextInt(60));
        CacheEntry before = entries.get(key);
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> {
                entries.put(key, fresh);
                entered.add(fresh);
            }
            case 3 -> {
                if (before != null && entries.replace(key, before, fresh)) {
                    entered.add(fresh);
                }
            }
            case 4 -> {
                boolean[] taken = new boolean[1];
                entries.compute(key, fresh.weight(), (k, now) -> {
                    taken[0] = now == null;
                    return now == null ? fresh : now;
                });
                if (taken[0]) {
                    entered.add(fresh);
                }
            }
            case 5 -> entries.remove(key);
            case 6 -> {
                if (before != null) {
                    entries.remove(key, before);
                }
            }
            case 7 -> entries.dropColdest(30);
            default -> entries.get(key);
        }
    }
}
