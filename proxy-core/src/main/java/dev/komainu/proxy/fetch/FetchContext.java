package dev.komainu.proxy.fetch;

import dev.komainu.proxy.cache.MemoryCache;
import dev.komainu.proxy.cache.ProxyClock;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.upstream.OriginPool;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.function.Supplier;

/**
 * What every fetch of one event loop works with.
 *
 * @param viaName this proxy's pseudonym in Via
 * @param forwardingNow which forwarding fields of clients reach origins
 */
public record FetchContext(
        EventLoop loop,
        ByteBufAllocator allocator,
        MemoryCache cache,
        InFlightFetches inFlight,
        OriginPool origins,
        ProxyClock clock,
        LoopTally tally,
        String viaName,
        Supplier<ForwardingSettings> forwardingNow) {

    /** For a fetch that begins now. */
    ForwardingSettings forwarding() {
        return forwardingNow.get();
    }
}
