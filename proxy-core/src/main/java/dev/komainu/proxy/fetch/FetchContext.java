package dev.komainu.proxy.fetch;

import dev.komainu.proxy.cache.MemoryCache;
import dev.komainu.proxy.cache.ProxyClock;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.proxy.upstream.OriginPool;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;

/**
 * What every fetch of one event loop works with.
 *
 * @param viaName this proxy's pseudonym in Via
 * @param forwarding which forwarding fields of clients reach origins
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
        ForwardingSettings forwarding) {}
