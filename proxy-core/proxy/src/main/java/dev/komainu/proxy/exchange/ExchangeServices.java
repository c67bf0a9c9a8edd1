package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.deliver.ReadAhead;
import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.proxy.fetch.InFlightFetches;
import dev.komainu.proxy.purge.Purger;
import dev.komainu.proxy.tally.ExchangeLog;
import org.jspecify.annotations.Nullable;

/**
 * What exchanges on all event loops work with: where responses are stored, fetched and purged, and
 * where exchanges are listed. Every member is safe for many threads.
 *
 * @param disk the second place of stored responses; absent: there is none
 * @param readAhead bytes that fetches may hold for clients that are slower than origins
 * @param manager pages of figures that the data port answers itself
 * @param viaName this proxy's pseudonym in Via; also how it recognises itself in a loop
 */
public record ExchangeServices(
        MemoryCache cache,
        @Nullable DiskTier disk,
        InFlightFetches inFlight,
        Purger purger,
        ReadAhead readAhead,
        ManagerPages manager,
        ExchangeLog log,
        ProxyClock clock,
        String viaName) {}
