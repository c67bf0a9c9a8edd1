package dev.komainu.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.ByteRange;
import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.tier.MemoryCache;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class StoredPartsTest {

    private static final int LENGTH = 20_000;

    private final MemoryCache cache = new MemoryCache(new CacheSettings(
            1 << 20,
            false,
            0.125,
            CacheSettings.DEFAULT.passMarkMillis(),
            true,
            600,
            0,
            List.of(),
            true,
            CachePolicy.W_TINYLFU,
            PartitionSettings.DEFAULT));
    private final CacheKey key = CacheKey.of("test.example", "/x");
    private final byte[] held = new byte[LENGTH];

    private static byte at(int version, long position) {
        return (byte) (1 + (position * 31 + version * 7) % 120);
    }

    private void merge(int version, int from, int count) {
        List<StoredParts.Part> parts = new ArrayList<>();
        // Two runs, as for a long part.
        for (int half = 0; half < 2; half++) {
            int first = from + half * (count / 2);
            int end = half == 0 ? from + count / 2 : from + count;
            if (first < end) {
                ByteBuf run = cache.allocate(end - first);
                for (int p = first; p < end; p++) {
                    run.writeByte(at(version, p));
                }
                parts.add(new StoredParts.Part(first, run));
            }
        }
        StoredParts more =
                new StoredParts(key, head(version), LENGTH, parts, freshness(), List.of());
        cache.merge(more, cache.purgeTimestamps().now(), key, 0);
    }

    private StoredHead head(int version) {
        return java.util.Objects.requireNonNull(
                cache.head(null, new byte[100], "\"" + version + "\"", null));
    }

    private static Freshness freshness() {
        return new Freshness(60, 0, 0, false, false, true, 0, 0, 0);
    }

    /**
     * The stored bytes are those of the model, byte for byte, and their memory is freed when they
     * are dropped.
     */
    @Property(tries = 300)
    void merge_anyPartsInAnyOrder_agreesWithTheModel(
            @ForAll @Size(max = 25) List<@IntRange(min = 0, max = LENGTH - 1) Integer> starts,
            @ForAll @IntRange(min = 1, max = 6_000) int longest) {
        java.util.Arrays.fill(held, (byte) 0);
        cache.clear();
        int version = 0;
        for (int i = 0; i < starts.size(); i++) {
            int from = starts.get(i);
            int count = Math.min(LENGTH - from, 1 + (from * 7 + i * 131) % longest);
            if (from % 11 == 3) {
                version++;
                java.util.Arrays.fill(held, (byte) 0);
            }
            boolean whole = cache.get(key) instanceof StoredResponse;
            merge(version, from, count);
            if (whole && from % 11 != 3) {
                continue;
            }
            for (int p = from; p < from + count; p++) {
                held[p] = at(version, p);
            }
            compare();
        }
        cache.clear();
        assertThat(cache.memory().used()).isZero();
    }

    private void compare() {
        if (cache.get(key) instanceof StoredParts parts) {
            for (int p = 0; p < LENGTH; p += 97) {
                assertThat(parts.contains(p, 1)).as("byte %d", p).isEqualTo(held[p] != 0);
            }
            for (int p = 0; p < LENGTH; ) {
                int end = p;
                while (end < LENGTH && held[end] != 0) {
                    end++;
                }
                assertThat(parts.contains(p, end - p)).isTrue();
                ByteBuf[] views = parts.retain(p, end - p);
                assertThat(views).isNotNull();
                for (ByteBuf view : views) {
                    while (view.isReadable()) {
                        assertThat(view.readByte()).isEqualTo(held[p++]);
                    }
                    view.release();
                }
                assertThat(p).isEqualTo(end);
                while (p < LENGTH && held[p] == 0) {
                    p++;
                }
            }
        } else {
            assertThat(held).doesNotContain((byte) 0);
            assertThat(cache.get(key)).isInstanceOf(StoredResponse.class);
        }
    }

    @org.junit.jupiter.api.Test
    void gap_isTheFirstToTheLastMissingByte() {
        merge(0, 100, 100);
        merge(0, 300, 100);
        StoredParts parts = (StoredParts) cache.get(key);
        assertThat(parts.gap(120, 180)).isNull();
        assertThat(parts.gap(150, 350)).isEqualTo(new ByteRange(200, 299));
        assertThat(parts.gap(50, 350)).isEqualTo(new ByteRange(50, 299));
        assertThat(parts.gap(0, LENGTH - 1)).isEqualTo(new ByteRange(0, LENGTH - 1));
        assertThat(parts.retain(150, 100)).isNull();
    }

    @org.junit.jupiter.api.Test
    void merge_ofPartsBeyondTheMemoryLimit_keepsTheNewest() {
        // Each new part covers all but one byte of the last: a cut part still keeps its complete
        // run.
        for (int i = 0; i < 40; i++) {
            merge(0, i, 10_000);
        }
        assertThat(((StoredParts) cache.get(key)).weight()).isLessThan(160_000);
        cache.clear();
        assertThat(cache.memory().used()).isZero();
    }
}
