package dev.komainu.proxy.cache.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.StoredHead;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.memory.BodyMemory;
import dev.komainu.proxy.cache.memory.SlabBuffer;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.junit.jupiter.api.Test;

class PurgeTimestampsTest {

    private static StoredResponse response(String label) {
        Freshness fresh = new Freshness(60, 0, 0, false, false, true, 0, 0, 0);
        StoredHead head = StoredHead.inOwnRun(
                (SlabBuffer) new BodyMemory(1 << 20).allocate(1), new byte[0], null, null);
        return new StoredResponse(
                CacheKey.of("host", "/1"), 200, head, new ByteBuf[0], fresh, List.of(label));
    }

    @Test
    void evaluate_withAFullListOfPrefixes_refusesOlderFetches() {
        PurgeTimestamps stamps = new PurgeTimestamps();
        CacheKey uri = CacheKey.of("host", "/1");
        StoredResponse response = response("one");
        long since = stamps.now();
        assertThat(stamps.evaluate(since, uri, response)).isEqualTo(PurgeTimestamps.Verdict.KEEP);
        for (int i = 0; i < 256; i++) {
            stamps.prefix(("other/" + i).getBytes(), false);
        }
        assertThat(stamps.evaluate(since, uri, response)).isEqualTo(PurgeTimestamps.Verdict.KEEP);
        stamps.prefix("other/256".getBytes(), false);
        assertThat(stamps.evaluate(since, uri, response)).isEqualTo(PurgeTimestamps.Verdict.DROP);
        long after = stamps.now();
        stamps.label("one", true);
        assertThat(stamps.evaluate(after, uri, response)).isEqualTo(PurgeTimestamps.Verdict.SOFTEN);
        stamps.label("one", false);
        assertThat(stamps.evaluate(after, uri, response)).isEqualTo(PurgeTimestamps.Verdict.DROP);
        assertThat(stamps.evaluate(stamps.now(), uri, response))
                .isEqualTo(PurgeTimestamps.Verdict.KEEP);
    }
}
