package dev.komainu.proxy;

import dev.komainu.proxy.acceptor.Acceptor;
import dev.komainu.proxy.acceptor.Transport;
import dev.komainu.proxy.cache.MemoryCache;
import dev.komainu.proxy.cache.ProxyClock;
import dev.komainu.proxy.connection.ClientCounts;
import dev.komainu.proxy.control.ControlServer;
import dev.komainu.proxy.control.Purger;
import dev.komainu.proxy.exchange.Shared;
import dev.komainu.proxy.fetch.InFlightFetches;
import dev.komainu.proxy.report.Figures;
import dev.komainu.proxy.report.SelfReport;
import dev.komainu.proxy.report.WindowReport;
import dev.komainu.proxy.route.AccessList;
import dev.komainu.proxy.route.DialGuard;
import dev.komainu.proxy.route.RouteTable;
import dev.komainu.proxy.tally.ExchangeLog;
import dev.komainu.proxy.upstream.AddressBook;
import dev.komainu.proxy.upstream.HealthBook;
import dev.komainu.proxy.upstream.HealthChecks;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.RecordSink;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A running proxy: the parts wired together once. */
public final class Proxy implements AutoCloseable {

    private final ProxySettings settings;
    private final Shared shared;
    private final Acceptor acceptor;
    private final String service;
    private final SelfReport self;
    private final WindowReport windows;
    private final @Nullable ControlServer control;
    private final @Nullable HealthChecks checks;
    private volatile boolean draining;

    private Proxy(
            ProxySettings settings, Shared shared, Acceptor acceptor, String service, Supplier<Map<String, Long>> drops)
            throws IOException {
        this.settings = settings;
        this.shared = shared;
        this.acceptor = acceptor;
        this.service = service;
        this.self = new SelfReport(
                service,
                settings.node(),
                addresses(acceptor.address()),
                tuned(settings),
                drops,
                shared.log().sink());
        this.windows = new WindowReport(shared, acceptor.workers(), self);
        this.control = settings.control() == null
                ? null
                : new ControlServer(
                        settings.control(),
                        settings.controlTokenFile(),
                        windows::latest,
                        new Purger(shared.cache(), shared.inFlight()),
                        () -> draining);
        this.checks = HealthChecks.start(
                shared.health(), acceptor.workers().getFirst().origins());
        windows.start();
    }

    /** A wildcard listener is reached at every address of this host. */
    private static List<Endpoint> addresses(InetSocketAddress bound) {
        if (!bound.getAddress().isAnyLocalAddress()) {
            return List.of(new Endpoint(bound.getAddress(), bound.getPort()));
        }
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLinkLocalAddress())
                    .map(address -> new Endpoint(address, bound.getPort()))
                    .toList();
        } catch (SocketException e) {
            return List.of(new Endpoint(bound.getAddress(), bound.getPort()));
        }
    }

    private static Map<String, String> tuned(ProxySettings settings) {
        return Map.of(
                "mode", settings.isForward() ? "forward" : "reverse",
                "workers", Integer.toString(settings.workers()),
                "cache.memory", Long.toString(settings.cache().memoryBytes()),
                "connections.max", Integer.toString(settings.connections().maxConnections()),
                "connections.max-per-client",
                        Integer.toString(settings.connections().maxPerClient()),
                "connections.idle-timeout", settings.connections().idleTimeout().toMillis() + "ms",
                "upstream.max-open", Integer.toString(settings.upstream().maxOpen()),
                "upstream.max-idle", Integer.toString(settings.upstream().maxIdle()));
    }

    /**
     * Starts to serve.
     *
     * @param drops records that never reached the central service, by reason
     * @throws BindException when an address cannot be had
     * @throws IOException when the control token cannot be read
     */
    public static Proxy start(
            ProxySettings settings, ProxyClock clock, RecordSink sink, Supplier<Map<String, Long>> drops)
            throws IOException {
        RouteTable routes = settings.isForward()
                ? RouteTable.forward(settings.connectPorts())
                : RouteTable.reverse(settings.routes());
        DialGuard guard = new DialGuard(settings.isForward() ? settings.dialExceptions() : AccessList.EVERYBODY);
        HealthBook health = new HealthBook(settings.upstream().health());
        health.know(settings.routes().stream().map(RouteTable.Route::origin).toList());
        String service = settings.node() + ":" + settings.listen().getPort();
        Shared shared = new Shared(
                new MemoryCache(settings.cache()),
                new InFlightFetches(),
                new ClientCounts(settings.connections()),
                () -> routes,
                settings.clients(),
                settings.purgers(),
                new AddressBook(guard, settings.upstream().dns()),
                health,
                settings.connections(),
                settings.deliver(),
                settings.upstream(),
                new ExchangeLog(service, settings.exchangesPerSecond(), sink),
                clock,
                viaName(settings),
                settings.forwarding());
        Acceptor acceptor = Acceptor.open(settings.listen(), settings.workers(), Transport.best(), shared);
        try {
            Proxy proxy = new Proxy(settings, shared, acceptor, service, drops);
            if (settings.isForward()) {
                guard.protect(proxy.listeners());
            }
            return proxy;
        } catch (IOException e) {
            acceptor.close();
            throw e;
        }
    }

    private List<InetSocketAddress> listeners() {
        InetSocketAddress controls = controlAddress();
        return controls == null ? List.of(address()) : List.of(address(), controls);
    }

    /** The same after a restart, different for two proxies in a row: else a chain of them would look like a loop. */
    private static String viaName(ProxySettings settings) {
        int hash = Objects.hash(settings.node(), settings.listen().toString());
        return "komainu-" + Integer.toHexString(hash);
    }

    public InetSocketAddress address() {
        return acceptor.address();
    }

    /** Where the control endpoint listens; absent when there is none. */
    public @Nullable InetSocketAddress controlAddress() {
        return control == null ? null : control.address();
    }

    /** The last second's figures. */
    public Figures figures() {
        return windows.latest();
    }

    public ProxySettings settings() {
        return settings;
    }

    public String service() {
        return service;
    }

    /** Stops accepting and lets exchanges finish. @return connections that had to be cut */
    public int drain() throws InterruptedException {
        draining = true;
        return acceptor.drain(settings.connections().drainTimeout().toMillis());
    }

    /** Tells the central service again that this proxy exists and how it fares. Any thread; returns at once. */
    public void tellAgain() {
        self.tellAgain();
    }

    @Override
    public void close() {
        if (checks != null) {
            checks.close();
        }
        windows.close();
        acceptor.close();
        if (control != null) {
            control.close();
        }
        shared.cache().clear();
    }
}
