package dev.komainu.proxy.cache.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.CacheSettings;
import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.PriorityPrefix;
import dev.komainu.proxy.cache.StoredHead;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.partition.PartitionFigures;
import io.netty.buffer.ByteBuf;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The limit counts all bytes: the charges of entries are their real sizes, and both parts of the
 * limit hold.
 */
class HeapAccountTest {

    private static MemoryCache cache(long bytes) {
        return cache(bytes, CachePolicy.W_TINYLFU);
    }

    private static MemoryCache cache(long bytes, CachePolicy policy) {
        return new MemoryCache(settings(bytes, policy));
    }

    private static CacheSettings settings(long bytes, CachePolicy policy) {
        CacheSettings d = CacheSettings.DEFAULT;
        return new CacheSettings(
                bytes,
                d.touchAtStart(),
                d.maxObjectShare(),
                d.passMarkMillis(),
                d.storeCookies(),
                d.graceSeconds(),
                d.negativeSeconds(),
                d.targets(),
                d.stripTags(),
                policy,
                PartitionSettings.DEFAULT);
    }

    private static boolean store(MemoryCache cache, String path, int bytes) {
        List<ByteBuf> runs = new ArrayList<>();
        for (int left = bytes; left > 0; ) {
            ByteBuf run = cache.allocate(left, 350);
            if (run == null) {
                runs.forEach(ByteBuf::release);
                return false;
            }
            run.writeZero(run.capacity());
            left -= run.capacity();
            runs.add(run);
        }
        // Each has its own objects, as from the network.
        String etag = new String("\"" + path.hashCode() + "\"");
        String modified = new String("Sun, 22 Nov 2026 03:00:00 GMT".toCharArray());
        Freshness freshness = new Freshness(3600, 0, path.hashCode(), false, false, true, 0, 0, 0);
        CacheKey key = CacheKey.of("www.example.org", path);
        StoredHead head =
                cache.head(runs.isEmpty() ? null : runs.getLast(), new byte[250], etag, modified);
        if (head == null) {
            runs.forEach(ByteBuf::release);
            return false;
        }
        StoredResponse response = new StoredResponse(
                key, 200, head, runs.toArray(ByteBuf[]::new), freshness, List.of());
        return cache.put(response, cache.purgeTimestamps().now(), key, 0);
    }

    private static long heapInUse() {
        var heap = ManagementFactory.getMemoryMXBean();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return heap.getHeapMemoryUsage().getUsed();
    }

    @ParameterizedTest
    @EnumSource
    void smallObjects_areChargedTheirHeapBytes(CachePolicy policy) {
        double chargedOfTaken = 0;
        // Objects of other tests may be collected in between: the measurement is then invalid.
        for (int attempt = 0;
                attempt < 5 && !(chargedOfTaken > 0.95 && chargedOfTaken < 1.30);
                attempt++) {
            chargedOfTaken = chargedOfTaken(policy);
        }
        // Never less than the real bytes, apart from the variation of a collection, and not much
        // more either.
        assertThat(chargedOfTaken).isBetween(0.95, 1.30);
    }

    private static double chargedOfTaken(CachePolicy policy) {
        MemoryCache cache = cache(256L << 20, policy);
        for (int i = 0; i < 2_000; i++) {
            store(cache, "/warm/" + i, 100);
        }
        long before = heapInUse();
        long chargedBefore = cache.heapBytes();
        int more = 20_000;
        for (int i = 0; i < more; i++) {
            store(cache, "/small/" + i, 100);
        }
        double taken = heapInUse() - before;
        double charged = cache.heapBytes() - chargedBefore;
        assertThat(cache.objects()).isEqualTo(more + 2_000);
        cache.clear();
        assertThat(cache.heapBytes()).isZero();
        assertThat(cache.memory().used()).isZero();
        return charged / taken;
    }

    @Test
    void objects_areStoredResponses_neitherMarksNorRules() {
        MemoryCache cache = cache(8L << 20);
        CacheKey uri = CacheKey.of("www.example.org", "/varies");
        cache.varyRule(uri, List.of("accept-language"));
        cache.markPass(CacheKey.of("www.example.org", "/private"), 0);
        assertThat(cache.objects()).isZero();
        store(cache, "/a", 100);
        store(cache, "/a", 200);
        store(cache, "/b", 100);
        assertThat(cache.objects()).isEqualTo(2);
        cache.invalidate(CacheKey.of("www.example.org", "/a"));
        assertThat(cache.objects()).isEqualTo(1);
        cache.clear();
        assertThat(cache.objects()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void objectsOfAllSizes_neitherPartExceedsItsShare(CachePolicy policy) {
        long cap = 8L << 20;
        MemoryCache cache = cache(cap, policy);
        Random random = new Random(5);
        for (int i = 0; i < 16_000; i++) {
            // Small ones, then large ones, then both.
            int size = i < 8_000
                    ? 10 + random.nextInt(200)
                    : random.nextInt(4) == 0 ? random.nextInt(250_000) : 1 + random.nextInt(30_000);
            store(cache, "/" + i, size);
            if (i % 500 == 0) {
                assertThat(cache.heapBytes()).isLessThanOrEqualTo(cap / 8 + 4096);
                assertThat(cache.memory().reserved()).isLessThanOrEqualTo(cap / 8 * 7);
                assertThat(cache.bytes()).isLessThanOrEqualTo(cap);
            }
        }
        cache.clear();
        assertThat(cache.bytes()).isZero();
    }

    /**
     * With a divided cache both parts of the limit hold, too, also while rules and pools change.
     */
    @ParameterizedTest
    @EnumSource
    void objectsOfTwoPools_neitherPartExceedsItsShare(PartitionMode mode) {
        long cap = 8L << 20;
        MemoryCache cache = new MemoryCache(
                settings(cap, CachePolicy.W_TINYLFU).withPartition(divided(mode, "/1")));
        Random random = new Random(5);
        for (int i = 0; i < 12_000; i++) {
            int size = i < 6_000
                    ? 10 + random.nextInt(200)
                    : random.nextInt(4) == 0 ? random.nextInt(250_000) : 1 + random.nextInt(30_000);
            store(cache, "/" + random.nextInt(40_000), size);
            if (i % 3_000 == 2_999) {
                cache.divide(divided(mode, "/" + i / 3_000));
            }
            if (i % 500 == 0) {
                assertThat(cache.heapBytes()).isLessThanOrEqualTo(cap / 8 + 4096);
                assertThat(cache.bytes()).isLessThanOrEqualTo(cap);
                PartitionFigures figures = cache.partition();
                assertThat(figures.guarded().maximumBytes() + figures.normal().maximumBytes())
                        .isEqualTo(figures.wholeBytes())
                        .isLessThanOrEqualTo(cap);
            }
        }
        cache.clear();
        Awaitility.await().until(() -> cache.partition().settled());
        cache.clear();
        assertThat(cache.bytes()).isZero();
        assertThat(cache.partition().guarded().bytes()).isZero();
        assertThat(cache.partition().normal().bytes()).isZero();
        assertThat(cache.partition().normal().storedBytes()).isZero();
    }

    private static PartitionSettings divided(PartitionMode mode, String prefix) {
        return new PartitionSettings(mode, List.of(PriorityPrefix.parse(prefix)), 20, 20);
    }

    /**
     * With scattered bodies, no long run is free; long objects are nevertheless stored, in pieces.
     */
    @Test
    void longObjectsAmongShortOnes_areStoredAndFillThePart() {
        long cap = 8L << 20;
        MemoryCache cache = cache(cap);
        Random random = new Random(6);
        int refused = 0;
        for (int i = 0; i < 6_000; i++) {
            refused += store(
                            cache,
                            "/" + i,
                            5_000 + random.nextInt(random.nextInt(20) == 0 ? 700_000 : 20_000))
                    ? 0
                    : 1;
        }
        assertThat(refused).isZero();
        // Seven eighths are for bodies; which of them stay, and so how well they fit, depends on
        // the seed of the policy's hashes.
        assertThat(cache.memory().used() / (double) cap).isGreaterThan(0.70);
    }

    /**
     * Slow clients retain evicted bodies: the limit holds, and further responses are not stored,
     * but counted.
     */
    @Test
    void readersRetainEvictedBodies_newObjectsAreNotStoredButCounted() {
        long cap = 8L << 20;
        MemoryCache cache = cache(cap);
        List<ByteBuf> sending = new ArrayList<>();
        int stored = 0;
        while (store(cache, "/held/" + stored, 50_000)) {
            StoredResponse response =
                    (StoredResponse) cache.get(CacheKey.of("www.example.org", "/held/" + stored));
            if (response != null) {
                sending.addAll(List.of(response.retainBody()));
            }
            stored++;
            assertThat(stored).isLessThan(1_000);
        }
        assertThat(cache.noRoom()).isEqualTo(1);
        assertThat(cache.memory().used()).isLessThanOrEqualTo(cap / 8 * 7);
        assertThat(cache.bytes()).isLessThanOrEqualTo(cap);
        assertThat(store(cache, "/next", 50_000)).isFalse();
        assertThat(cache.noRoom()).isEqualTo(2);
        sending.forEach(ByteBuf::release);
        assertThat(store(cache, "/next", 50_000)).isTrue();
        cache.clear();
        assertThat(cache.memory().used()).isZero();
    }

    @Test
    void policysMaximum_followsTheMixture_andIsNeverZero() {
        long cap = 64L << 20;
        long bodies = cap / 8 * 7;
        long heap = cap / 8;
        // Bodies fill their part first; then the heap fills its own; an empty cache provides no
        // information.
        assertThat(MemoryCache.fittingWeight(11_000_000, 1_000_000, bodies, heap, cap))
                .isBetween(bodies, cap);
        assertThat(MemoryCache.fittingWeight(2_000_000, 1_000_000, bodies, heap, cap))
                .isBetween(heap, 2 * heap);
        assertThat(MemoryCache.fittingWeight(0, 0, bodies, heap, cap)).isEqualTo(bodies / 16);
    }
}
