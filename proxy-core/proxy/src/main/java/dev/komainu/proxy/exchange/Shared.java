package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.buffer.BufferBudget;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.process.ReloadCounts;
import dev.komainu.intermediary.upstream.AddressBook;
import dev.komainu.intermediary.upstream.HealthBook;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.connection.ClientCounts;
import dev.komainu.proxy.connection.Reclamation;
import dev.komainu.proxy.deliver.ReadAhead;
import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.proxy.fetch.InFlightFetches;
import dev.komainu.proxy.purge.Purger;
import dev.komainu.proxy.tally.ExchangeLog;
import org.jspecify.annotations.Nullable;

/**
 * What all event loops share. Every member is safe for many threads.
 *
 * @param reclamation idle connections, for whom needs their place
 * @param disk the second place of stored answers; absent: there is none
 * @param policy what rules requests at the start; loops know what rules them now
 * @param viaName this proxy's pseudonym in Via; also how it recognises itself in a loop
 */
public record Shared(
        MemoryCache cache,
        @Nullable DiskTier disk,
        InFlightFetches inFlight,
        Purger purger,
        ClientCounts clientCounts,
        Reclamation reclamation,
        BufferBudget buffers,
        ReadAhead readAhead,
        Policy policy,
        Manager manager,
        AddressBook addresses,
        HealthBook health,
        ExchangeLog log,
        ReloadCounts reloads,
        ProxyClock clock,
        String viaName) {}
