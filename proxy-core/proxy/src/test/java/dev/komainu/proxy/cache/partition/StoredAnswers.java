package dev.komainu.proxy.cache.partition;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.CacheEntry;
import dev.komainu.proxy.cache.StoredHead;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.cache.memory.BodyMemory;
import dev.komainu.proxy.cache.memory.SlabBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;

/** Stored responses of any size, for tests that need memory only for their heads. */
final class StoredAnswers {

    private static final byte[] HEAD = new byte[40];
    private static final long HEAD_RUN =
            BodyMemory.charged(new BodyMemory(1 << 20).allocate(HEAD.length));
    private static final Freshness FRESH = new Freshness(3600, 0, 0, false, false, true, 0, 0, 0);

    private final BodyMemory memory = new BodyMemory(4 << 20);

    StoredResponse response(CacheKey key, int bytes) {
        SlabBuffer run = (SlabBuffer) memory.allocate(HEAD.length);
        return new StoredResponse(
                key,
                200,
                StoredHead.inOwnRun(run, HEAD, null, null),
                new ByteBuf[] {Unpooled.wrappedBuffer(new byte[bytes])},
                FRESH,
                List.of());
    }

    /** Handles a removal like a pool's listener. */
    static void onRemoval(CacheKey key, CacheEntry entry, boolean evicted) {
        entry.release();
    }

    /** Returns the number of heads with a reference. */
    long heads() {
        return memory.used() / HEAD_RUN;
    }
}
