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
 * The services that exchanges on all event loops share: the stores and fetches of responses,
 * purges, and the list of exchanges. All of them are thread-safe.
 *
 * @param disk the disk tier of stored responses; null when there is none
 * @param readAhead the budget for bytes that fetches keep for clients that are slower than origins
 * @param manager the pages of figures that the data port serves itself
 * @param viaName this proxy's pseudonym in Via; also the name by which it detects loops
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
