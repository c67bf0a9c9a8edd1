package dev.komainu.proxy.cache.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.PriorityPrefix;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.VaryRule;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The selection of the pool to evict from, by the paper's rule; responses of 1,000 bytes under LRU,
 * so that the order is exact.
 */
class PoolBoundaryTest {

    private static final int EACH = 1_000;
    private static final long WHOLE = 100 * EACH;

    private final StoredAnswers answers = new StoredAnswers();
    private final List<String> evicted = new ArrayList<>();
    private PartitionedEntries entries = entries(PartitionMode.PARTITION, 20, 20);

    private static PartitionSettings settings(PartitionMode mode, int floor, int damping) {
        return new PartitionSettings(
                mode, List.of(PriorityPrefix.parse("/first/")), floor, damping);
    }

    private PartitionedEntries entries(PartitionMode mode, int floor, int damping) {
        return new PartitionedEntries(
                CachePolicy.LRU,
                settings(mode, floor, damping),
                EACH,
                WHOLE,
                (key, entry, byPolicy) -> {
                    evicted.add(key.toString());
                    entry.release();
                });
    }

    private static CacheKey first(int number) {
        return CacheKey.of("h/first/" + number);
    }

    private static CacheKey other(int number) {
        return CacheKey.of("h/other/" + number);
    }

    /** Keys differ in length by a digit or two: the body makes the weights equal. */
    private void put(CacheKey key) {
        StoredResponse empty = answers.response(key, 0);
        int rest = EACH - empty.weight();
        empty.release();
        entries.put(key, answers.response(key, rest));
    }

    private void putFirst(int from, int to) {
        for (int i = from; i < to; i++) {
            put(first(i));
        }
    }

    private void putOthers(int from, int to) {
        for (int i = from; i < to; i++) {
            put(other(i));
        }
    }

    private void use(int from, int to, boolean isFirst) {
        for (int i = from; i < to; i++) {
            assertThat(entries.get(isFirst ? first(i) : other(i))).isNotNull();
        }
    }

    private long current() {
        return entries.figures().guarded().bytes() / EACH;
    }

    private long target() {
        return entries.figures().targetBytes() / EACH;
    }

    /** The state in which a thread replaces an entry that another thread is evicting. */
    @Test
    void poolWithAWeightBelow0_givesAtMostItsMaximum() {
        CachePool guarded =
                new CachePool(true, CachePolicy.W_TINYLFU, 0, (key, entry, byPolicy) -> {});
        CachePool normal =
                new CachePool(false, CachePolicy.W_TINYLFU, WHOLE, (key, entry, byPolicy) -> {});
        PoolBoundary boundary = new PoolBoundary(
                guarded,
                normal,
                new TargetRule(settings(PartitionMode.BASIC, 50, 20), EACH, WHOLE));
        guarded.reserve(2 * WHOLE);
        normal.reserve(-EACH);
        boundary.admit(guarded, EACH);
        assertThat(normal.maximum()).isZero();
        assertThat(guarded.maximum()).isEqualTo(WHOLE);

        guarded.reserve(-2 * WHOLE - EACH);
        boundary.setTotal(WHOLE / 2);
        assertThat(guarded.maximum() + normal.maximum()).isEqualTo(WHOLE / 2);
        boundary.setTotal(0);
        assertThat(guarded.maximum()).isZero();
        assertThat(normal.maximum()).isZero();
    }

    @Test
    void freeRoom_isForEitherPool() {
        putFirst(0, 100);
        assertThat(current())
                .as("above its target, because the other pool does not need it")
                .isEqualTo(100);
        assertThat(evicted).isEmpty();
        assertThat(target()).as("the floor").isEqualTo(20);
        entries.dropAll();
        evicted.clear();
        putOthers(0, 100);
        assertThat(evicted).isEmpty();
    }

    @Test
    void aboveTheTarget_theProtectedPoolEvicts_forAnyEntry() {
        putFirst(0, 60);
        putOthers(0, 40);
        putOthers(40, 50);
        assertThat(current()).isEqualTo(50);
        assertThat(evicted).containsExactlyElementsOf(names("h/first/", 0, 10));
        evicted.clear();
        put(first(60));
        assertThat(current()).isEqualTo(50);
        assertThat(evicted).containsExactly("h/first/10");
    }

    @Test
    void belowTheTarget_theNormalPoolEvicts_forAnyEntry() {
        putOthers(0, 100);
        putFirst(0, 10);
        assertThat(current()).isEqualTo(10);
        assertThat(evicted).containsExactlyElementsOf(names("h/other/", 0, 10));
        evicted.clear();
        put(other(100));
        assertThat(current()).isEqualTo(10);
        assertThat(evicted).containsExactly("h/other/10");
    }

    @Test
    void atTheTarget_eachPoolEvictsItsOwn() {
        putOthers(0, 100);
        putFirst(0, 20);
        evicted.clear();
        // Each pool still has an entry that was not used, so the target rests.
        entries.reload(settings(PartitionMode.PARTITION, 20, 20), EACH);
        put(first(20));
        assertThat(evicted).containsExactly("h/first/0");
        put(other(100));
        assertThat(evicted).containsExactly("h/first/0", "h/other/20");
        assertThat(current()).isEqualTo(20);
    }

    @Test
    void normalPoolRunsOut_targetFallsByTheDampedShareOfTheProtectedPool() {
        entries = entries(PartitionMode.PARTITION, 10, 20);
        putFirst(0, 60);
        putOthers(0, 40);
        // S_target starts at the protected pool's size.
        entries.reload(settings(PartitionMode.BASIC, 10, 20), EACH);
        entries.reload(settings(PartitionMode.PARTITION, 10, 20), EACH);
        assertThat(target()).isEqualTo(60);
        use(0, 10, true);
        // After 40 new entries, the normal pool has no entry of the time before.
        putOthers(40, 80);
        assertThat(target()).isEqualTo(60);
        assertThat(entries.figures().normal().unreferencedBytes()).isZero();
        assertThat(entries.figures().guarded().unreferencedBytes()).isEqualTo(50 * EACH);
        put(other(80));
        assertThat(target()).as("60 - 20 % of 50").isEqualTo(50);
        assertThat(entries.figures().periods()).isEqualTo(1);
        assertThat(current()).isEqualTo(59);
        putOthers(81, 90);
        assertThat(current()).isEqualTo(50);
        assertThat(entries.get(first(0))).as("used, so not the coldest").isNotNull();
    }

    @Test
    void protectedPoolRunsOut_targetRisesByTheNormalPoolsUnreferencedBytes() {
        putOthers(0, 100);
        putFirst(0, 20);
        entries.reload(settings(PartitionMode.PARTITION, 20, 20), EACH);
        use(0, 20, true);
        use(50, 70, false);
        assertThat(entries.figures().normal().unreferencedBytes()).isEqualTo(60 * EACH);
        put(first(20));
        assertThat(target()).isEqualTo(80);
        assertThat(current()).isEqualTo(21);
        putFirst(21, 80);
        assertThat(current()).isEqualTo(80);
        use(0, 20, true);
    }

    @Test
    void basic_neverShrinks() {
        entries = entries(PartitionMode.BASIC, 20, 20);
        putOthers(0, 100);
        putFirst(0, 120);
        assertThat(current()).as("all but the largest object").isEqualTo(99);
        putOthers(100, 300);
        assertThat(current()).isEqualTo(99);
        assertThat(entries.figures().periods()).isZero();
    }

    @Test
    void sharedMemoryRunsShort_theRuleSelectsThePool() {
        putFirst(0, 60);
        putOthers(0, 40);
        assertThat(entries.dropColdest(3 * EACH, other(40))).isEqualTo(3);
        assertThat(current()).as("above its target").isEqualTo(57);
        assertThat(entries.dropColdest(50 * EACH, first(60))).isEqualTo(50);
        assertThat(current()).as("exactly its bytes beyond its target").isEqualTo(20);
        entries = entries(PartitionMode.PARTITION, 60, 20);
        putFirst(0, 60);
        putOthers(0, 40);
        entries.reload(settings(PartitionMode.PARTITION, 60, 20), EACH);
        assertThat(entries.dropColdest(EACH, first(60))).isEqualTo(1);
        assertThat(current()).as("equal: the new entry's own pool").isEqualTo(59);
        assertThat(entries.dropColdest(EACH, first(60))).isEqualTo(1);
        assertThat(current()).as("below: the normal pool's").isEqualTo(59);
        assertThat(entries.dropColdest(1_000_000)).isPositive();
    }

    @Test
    void anotherTotal_keepsTheTargetsShare() {
        putOthers(0, 100);
        putFirst(0, 20);
        entries.maximum(WHOLE / 2);
        assertThat(target()).isEqualTo(10);
        assertThat(current()).isEqualTo(10);
        assertThat(entries.weight()).isEqualTo(WHOLE / 2);
        entries.maximum(WHOLE);
        assertThat(target()).isEqualTo(20);
    }

    /** The total follows the mixture of sizes, up and down all the time. */
    @Test
    void aVaryingTotal_doesNotReduceTheProtectedPool() {
        putOthers(0, 100);
        putFirst(0, 20);
        for (int i = 0; i < 50; i++) {
            entries.maximum(WHOLE - EACH);
            entries.maximum(WHOLE);
            putOthers(100 + i, 102 + i);
        }
        assertThat(current()).isEqualTo(20);
    }

    private static List<String> names(String prefix, int from, int to) {
        List<String> names = new ArrayList<>();
        for (int i = from; i < to; i++) {
            names.add(prefix + i);
        }
        return names;
    }

    @Test
    void protectedPool_withinTheTolerance_losesNothing_beyondItDoes() {
        for (int weight : new int[] {1_010, 1_100}) {
            PartitionedEntries pools = new PartitionedEntries(
                    CachePolicy.LRU,
                    settings(PartitionMode.PARTITION, 20, 20),
                    EACH,
                    WHOLE,
                    (k, e, p) -> {});
            for (int i = 0; i < 20; i++) {
                pools.put(CacheKey.of("h/first/" + i), new VaryRule(List.of(), i, weight));
            }
            for (int i = 0; i < 300; i++) {
                pools.put(CacheKey.of("h/rest/" + i), new VaryRule(List.of(), i, EACH));
            }
            PartitionFigures figures = pools.figures();
            assertThat(figures.targetBytes()).isEqualTo(20_000);
            assertThat(figures.guarded().entries()).isEqualTo(weight == 1_010 ? 20 : 18);
        }
    }
}
