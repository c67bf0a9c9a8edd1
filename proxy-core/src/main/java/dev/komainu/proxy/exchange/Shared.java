package dev.komainu.proxy.exchange;

import dev.komainu.proxy.cache.MemoryCache;
import dev.komainu.proxy.cache.ProxyClock;
import dev.komainu.proxy.connection.ClientCounts;
import dev.komainu.proxy.connection.ConnectionSettings;
import dev.komainu.proxy.connection.StreamSettings;
import dev.komainu.proxy.deliver.DeliverSettings;
import dev.komainu.proxy.fetch.ForwardingSettings;
import dev.komainu.proxy.fetch.InFlightFetches;
import dev.komainu.proxy.log.AccessLog;
import dev.komainu.proxy.purge.Purger;
import dev.komainu.proxy.route.AccessList;
import dev.komainu.proxy.route.RouteTable;
import dev.komainu.proxy.tally.ExchangeLog;
import dev.komainu.proxy.upstream.AddressBook;
import dev.komainu.proxy.upstream.HealthBook;
import dev.komainu.proxy.upstream.UpstreamSettings;
import java.util.function.Supplier;

/**
 * What all event loops share. Every member is safe for many threads.
 *
 * @param routes the table now in force
 * @param clients who may use this proxy
 * @param purgers who may PURGE on the data port
 * @param managers who may read the manager's pages there
 * @param access the lines about exchanges, for files
 * @param viaName this proxy's pseudonym in Via; also how it recognises itself in a loop
 * @param forwarding which forwarding fields of clients reach origins
 */
public record Shared(
        MemoryCache cache,
        InFlightFetches inFlight,
        Purger purger,
        ClientCounts clientCounts,
        Supplier<RouteTable> routes,
        AccessList clients,
        AccessList purgers,
        AccessList managers,
        Manager manager,
        AddressBook addresses,
        HealthBook health,
        ConnectionSettings connections,
        StreamSettings streams,
        DeliverSettings deliver,
        UpstreamSettings upstream,
        ExchangeLog log,
        AccessLog access,
        ProxyClock clock,
        String viaName,
        ForwardingSettings forwarding) {}
