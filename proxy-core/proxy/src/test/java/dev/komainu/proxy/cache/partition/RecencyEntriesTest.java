package dev.komainu.proxy.cache.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.CachePolicy;
import java.util.LinkedHashMap;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RecencyEntriesTest extends CacheEntriesContract {

    @Override
    CacheEntries entries(long maximum) {
        return CacheEntries.of(CachePolicy.LRU, maximum, this);
    }

    @Test
    void put_whenFull_evictsTheLeastRecentlyUsed() {
        CacheEntries entries = entries(30);
        for (int i = 0; i < 3; i++) {
            entries.put(key(i), entry(10));
        }
        entries.get(key(0));
        entries.put(key(3), entry(10));
        assertThat(entries.get(key(1))).isNull();
        assertThat(entries.get(key(0))).isNotNull();
        assertThat(entries.get(key(2))).isNotNull();
        assertThat(entries.get(key(3))).isNotNull();
    }

    /** One thread: exactly the contents of a map in access order. */
    @Property(tries = 200)
    void anySteps_agreeWithTheModel(
            @ForAll @Size(max = 200)
                    java.util.List<@IntRange(min = 0, max = 3_999) Integer> steps) {
        int maximum = 100;
        CacheEntries entries = entries(maximum);
        LinkedHashMap<CacheKey, CacheEntry> model = new LinkedHashMap<>(16, 0.75f, true);
        for (int step : steps) {
            CacheKey key = key(step % 20);
            int weight = 1 + step / 20 % 40;
            switch (step / 800) {
                case 0, 1 -> {
                    CacheEntry entry = entry(weight);
                    entries.put(key, entry);
                    model.remove(key);
                    model.put(key, entry);
                    shrink(model, maximum);
                }
                case 2 -> assertThat(entries.remove(key)).isSameAs(model.remove(key));
                case 3 -> {
                    int dropped = entries.dropColdest(weight);
                    long left = weight;
                    int expected = 0;
                    var coldest = model.values().iterator();
                    while (coldest.hasNext()) {
                        int next = coldest.next().weight();
                        if (expected > 0 && (left <= 0 || next > left)) {
                            break;
                        }
                        coldest.remove();
                        left -= next;
                        expected++;
                    }
                    assertThat(dropped).isEqualTo(expected);
                }
                default -> assertThat(entries.get(key)).isSameAs(model.get(key));
            }
            assertThat(entries.count()).isEqualTo(model.size());
            assertThat(entries.weight()).isEqualTo(sum(model));
        }
        for (Map.Entry<CacheKey, CacheEntry> entry : entries.all()) {
            assertThat(model.get(entry.getKey())).isSameAs(entry.getValue());
        }
    }

    private static long sum(Map<CacheKey, CacheEntry> model) {
        return model.values().stream().mapToLong(CacheEntry::weight).sum();
    }

    private static void shrink(Map<CacheKey, CacheEntry> model, long maximum) {
        var coldest = model.values().iterator();
        long sum = sum(model);
        while (sum > maximum) {
            sum -= coldest.next().weight();
            coldest.remove();
        }
    }
}
