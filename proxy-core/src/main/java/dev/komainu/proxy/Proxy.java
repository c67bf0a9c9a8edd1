package dev.komainu.proxy;

import dev.komainu.proxy.acceptor.Acceptor;
import dev.komainu.proxy.acceptor.Transport;
import dev.komainu.proxy.cache.MemoryCache;
import dev.komainu.proxy.cache.ProxyClock;
import dev.komainu.proxy.connection.ClientCounts;
import dev.komainu.proxy.exchange.Shared;
import dev.komainu.proxy.fetch.InFlightFetches;
import dev.komainu.proxy.route.AccessList;
import dev.komainu.proxy.route.DialGuard;
import dev.komainu.proxy.route.RouteTable;
import dev.komainu.proxy.tally.ExchangeLog;
import dev.komainu.proxy.upstream.AddressBook;
import dev.komainu.telemetry.record.RecordSink;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.Objects;

/** A running proxy: the parts wired together once. */
public final class Proxy implements AutoCloseable {

    private final ProxySettings settings;
    private final Shared shared;
    private final Acceptor acceptor;
    private final String service;

    private Proxy(ProxySettings settings, Shared shared, Acceptor acceptor, String service) {
        this.settings = settings;
        this.shared = shared;
        this.acceptor = acceptor;
        this.service = service;
    }

    /**
     * Starts to serve.
     *
     * @throws BindException when the address cannot be had
     */
    public static Proxy start(ProxySettings settings, ProxyClock clock, RecordSink sink) throws BindException {
        RouteTable routes = settings.isForward()
                ? RouteTable.forward(settings.connectPorts())
                : RouteTable.reverse(settings.routes());
        DialGuard guard = new DialGuard(settings.isForward() ? settings.dialExceptions() : AccessList.EVERYBODY);
        String service = settings.node() + ":" + settings.listen().getPort();
        Shared shared = new Shared(
                new MemoryCache(settings.cache()),
                new InFlightFetches(),
                new ClientCounts(settings.connections()),
                () -> routes,
                settings.clients(),
                settings.purgers(),
                new AddressBook(guard),
                settings.connections(),
                settings.upstream(),
                new ExchangeLog(service, settings.exchangesPerSecond(), sink),
                clock,
                viaName(settings));
        Acceptor acceptor = Acceptor.open(settings.listen(), settings.workers(), Transport.best(), shared);
        return new Proxy(settings, shared, acceptor, service);
    }

    /** The same after a restart, different for two proxies in a row: else a chain of them would look like a loop. */
    private static String viaName(ProxySettings settings) {
        int hash = Objects.hash(settings.node(), settings.listen().toString());
        return "komainu-" + Integer.toHexString(hash);
    }

    public InetSocketAddress address() {
        return acceptor.address();
    }

    public ProxySettings settings() {
        return settings;
    }

    public String service() {
        return service;
    }

    Shared shared() {
        return shared;
    }

    Acceptor acceptor() {
        return acceptor;
    }

    /** Stops accepting and lets exchanges finish. @return connections that had to be cut */
    public int drain() throws InterruptedException {
        return acceptor.drain(settings.connections().drainTimeout().toMillis());
    }

    @Override
    public void close() {
        acceptor.close();
        shared.cache().clear();
    }
}
