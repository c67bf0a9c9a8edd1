package dev.komainu.proxy.cache.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.PriorityPrefix;
import dev.komainu.proxy.cache.VaryRule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The admission of responses to a full protected pool. */
class DoorkeeperTest {

    private static final int WEIGHT = 100;
    private static final int WHOLE = 20_000;

    private static CacheKey key(String prefix, int number) {
        return CacheKey.of("h/" + prefix + "/" + number);
    }

    /** Creates a protected pool at its target, a fifth, and a full normal pool. */
    private static PartitionedEntries full(CachePolicy policy, PartitionMode mode) {
        PartitionedEntries entries = empty(policy, mode);
        for (int i = 0; i < 2 * WHOLE / WEIGHT; i++) {
            put(entries, key("normal", i));
        }
        for (int i = 0; i < WHOLE / 5 / WEIGHT; i++) {
            put(entries, key("first", i));
        }
        return entries;
    }

    private static PartitionedEntries empty(CachePolicy policy, PartitionMode mode) {
        PartitionSettings settings =
                new PartitionSettings(mode, List.of(PriorityPrefix.parse("/first/")), 20, 20);
        return new PartitionedEntries(
                policy, settings, WEIGHT, WHOLE, (key, entry, byPolicy) -> {});
    }

    private static void put(PartitionedEntries entries, CacheKey key) {
        entries.put(key, new VaryRule(List.of(), key.hashCode(), WEIGHT));
    }

    @Test
    void fullProtectedPool_admitsTheSecondRequest() {
        PartitionedEntries entries = full(CachePolicy.W_TINYLFU, PartitionMode.PARTITION);
        CacheKey stranger = key("first", 900);
        assertThat(entries.admits(stranger, WEIGHT)).isFalse();
        assertThat(entries.admits(key("first", 901), WEIGHT)).isFalse();
        assertThat(entries.admits(stranger, WEIGHT)).isTrue();
        assertThat(entries.figures().turnedAway()).isEqualTo(2);
    }

    @Test
    void fullProtectedPool_admitsReplacements_andKeysOfTheNormalPool() {
        PartitionedEntries entries = full(CachePolicy.W_TINYLFU, PartitionMode.PARTITION);
        CacheKey there = java.util.stream.IntStream.range(0, 40)
                .mapToObj(i -> key("first", i))
                .filter(key -> entries.get(key) != null)
                .findAny()
                .orElseThrow();
        assertThat(entries.admits(there, WEIGHT)).isTrue();
        assertThat(entries.admits(key("normal", 900), WEIGHT)).isTrue();
        assertThat(entries.figures().turnedAway()).isZero();
    }

    @Test
    void roomLeft_admitsEachKey() {
        PartitionedEntries entries = empty(CachePolicy.W_TINYLFU, PartitionMode.PARTITION);
        for (int i = 0; i < 100; i++) {
            assertThat(entries.admits(key("first", i), WEIGHT)).isTrue();
            put(entries, key("first", i));
        }
    }

    @ParameterizedTest
    @CsvSource({"LRU, PARTITION", "LRU, BASIC", "W_TINYLFU, BASIC", "W_TINYLFU, SINGLE"})
    void papersModes_haveNoDoorkeeper(CachePolicy policy, PartitionMode mode) {
        PartitionedEntries entries = full(policy, mode);
        assertThat(entries.admits(key("first", 900), WEIGHT)).isTrue();
    }

    @Test
    void sweepOfLargeObjects_evictsNothingRequestedTwice() {
        PartitionedEntries entries = full(CachePolicy.W_TINYLFU, PartitionMode.PARTITION);
        List<CacheKey> before = java.util.stream.IntStream.range(0, 40)
                .mapToObj(i -> key("first", i))
                .filter(key -> entries.get(key) != null)
                .toList();
        assertThat(before).hasSizeGreaterThan(30);
        for (int i = 0; i < 1_000; i++) {
            CacheKey swept = key("first", 1_000 + i);
            if (entries.admits(swept, 10 * WEIGHT)) {
                entries.put(swept, new VaryRule(List.of(), i, 10 * WEIGHT));
            }
        }
        assertThat(before).allMatch(key -> entries.get(key) != null);
    }

    @Test
    void recentKeys_areKnown_olderOnesForgotten_newOnesRarelyMistaken() {
        Doorkeeper door = new Doorkeeper();
        for (int i = 0; i < 10_000; i++) {
            door.testAndAdd(key("a", i));
        }
        int taken = 0;
        for (int i = 0; i < 10_000; i++) {
            assertThat(door.testAndAdd(key("a", i))).isTrue();
            taken += door.testAndAdd(key("b", i)) ? 1 : 0;
        }
        assertThat(taken).isLessThan(200);
        for (int i = 0; i < 60_000; i++) {
            door.testAndAdd(key("c", i));
        }
        int remembered = 0;
        for (int i = 0; i < 1_000; i++) {
            remembered += door.testAndAdd(key("a", i)) ? 1 : 0;
        }
        assertThat(remembered).isLessThan(50);
    }
}
