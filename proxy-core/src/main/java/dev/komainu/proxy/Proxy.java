package dev.komainu.proxy;

import dev.komainu.proxy.acceptor.Acceptor;
import dev.komainu.proxy.acceptor.Door;
import dev.komainu.proxy.cache.MemoryCache;
import dev.komainu.proxy.cache.ProxyClock;
import dev.komainu.proxy.connection.ClientCounts;
import dev.komainu.proxy.control.ControlServer;
import dev.komainu.proxy.control.SquidPages;
import dev.komainu.proxy.exchange.Shared;
import dev.komainu.proxy.fetch.InFlightFetches;
import dev.komainu.proxy.log.AccessLog;
import dev.komainu.proxy.purge.Purger;
import dev.komainu.proxy.report.Figures;
import dev.komainu.proxy.report.SelfReport;
import dev.komainu.proxy.report.WindowReport;
import dev.komainu.proxy.route.AccessList;
import dev.komainu.proxy.route.DialGuard;
import dev.komainu.proxy.route.RouteTable;
import dev.komainu.proxy.tally.ExchangeLog;
import dev.komainu.proxy.tls.Certificates;
import dev.komainu.proxy.tls.Handshake;
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
import java.util.ArrayList;
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
    private final @Nullable Certificates certificates;
    private final String service;
    private final SelfReport self;
    private final WindowReport windows;
    private final @Nullable ControlServer control;
    private final @Nullable HealthChecks checks;
    private final SquidPages pages;
    private volatile boolean draining;

    private Proxy(
            ProxySettings settings,
            Shared shared,
            SquidPages pages,
            Acceptor acceptor,
            @Nullable Certificates certificates,
            String service,
            Supplier<Map<String, Long>> drops)
            throws IOException {
        this.certificates = certificates;
        this.settings = settings;
        this.shared = shared;
        this.acceptor = acceptor;
        this.service = service;
        this.self = new SelfReport(
                service,
                settings.node(),
                acceptor.addresses().stream()
                        .flatMap(address -> addresses(address).stream())
                        .toList(),
                tuned(settings),
                drops,
                shared.log().sink());
        this.pages = pages;
        this.windows = new WindowReport(shared, acceptor.workers(), this::everySecond);
        this.control = settings.control() == null
                ? null
                : new ControlServer(
                        settings.control(),
                        windows::latest,
                        () -> certificates == null ? null : certificates.figures(),
                        shared.cache(),
                        shared.clock(),
                        shared.purger(),
                        () -> draining);
        this.checks = HealthChecks.start(
                shared.health(), acceptor.workers().getFirst().origins());
        windows.start();
    }

    private void everySecond() {
        pages.take(windows.latest());
        self.run();
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
                "transport", settings.transport().text(),
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
     * @throws IOException when the control token cannot be read or the access log cannot be written
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
        String service = settings.node() + ":" + settings.firstListen().getPort();
        MemoryCache cache = new MemoryCache(settings.cache());
        InFlightFetches inFlight = new InFlightFetches();
        SquidPages pages = new SquidPages(cache, clock);
        Shared shared = new Shared(
                cache,
                inFlight,
                new Purger(cache, inFlight, clock),
                new ClientCounts(settings.connections()),
                () -> routes,
                settings.clients(),
                settings.purgers(),
                settings.managers(),
                pages,
                new AddressBook(guard, settings.upstream().dns()),
                health,
                settings.connections(),
                settings.streams(),
                settings.deliver(),
                settings.upstream(),
                new ExchangeLog(service, settings.exchangesPerSecond(), sink),
                AccessLog.open(settings.log()),
                clock,
                viaName(settings),
                settings.forwarding());
        Certificates certificates = null;
        Acceptor acceptor;
        try {
            if (settings.tls().listen() != null) {
                certificates = Certificates.open(
                        settings.tls(),
                        settings.streams().enabled()
                                ? List.of(Handshake.HTTP_2, Handshake.HTTP_1)
                                : List.of(Handshake.HTTP_1));
            }
            acceptor = Acceptor.open(doors(settings, certificates), settings.workers(), settings.transport(), shared);
        } catch (IOException e) {
            shared.access().close();
            if (certificates != null) {
                certificates.close();
            }
            throw e;
        }
        try {
            Proxy proxy = new Proxy(settings, shared, pages, acceptor, certificates, service, drops);
            if (settings.isForward()) {
                guard.protect(proxy.listeners());
            }
            return proxy;
        } catch (IOException e) {
            acceptor.close();
            shared.access().close();
            throw e;
        }
    }

    private static List<Door> doors(ProxySettings settings, @Nullable Certificates certificates) {
        List<Door> doors = new ArrayList<>();
        if (settings.listen() != null) {
            doors.add(new Door("listen", settings.listen(), null));
        }
        if (settings.tls().listen() != null) {
            doors.add(new Door("tls.listen", settings.tls().listen(), certificates));
        }
        return doors;
    }

    private List<InetSocketAddress> listeners() {
        List<InetSocketAddress> all = new ArrayList<>(addresses());
        InetSocketAddress controls = controlAddress();
        if (controls != null) {
            all.add(controls);
        }
        return all;
    }

    /** The same after a restart, different for two proxies in a row: else a chain of them would look like a loop. */
    private static String viaName(ProxySettings settings) {
        int hash = Objects.hash(settings.node(), settings.firstListen().toString());
        return "komainu-" + Integer.toHexString(hash);
    }

    /** Where the first listener is: the clear one, when there is one. */
    public InetSocketAddress address() {
        return acceptor.address(0);
    }

    /** Absent when nobody comes in over TLS. */
    @Nullable
    Certificates certificates() {
        return certificates;
    }

    /** Where clients come in: in the clear, then over TLS. */
    public List<InetSocketAddress> addresses() {
        return acceptor.addresses();
    }

    /**
     * Has all of the cache's memory from the system now, aside from the loops (docs/decisions/0034-cache-memory.md). Whoever
     * does not ask for it gets slabs as they are needed.
     */
    void reserveMemory() {
        Thread.ofPlatform()
                .name("komainu-slabs")
                .daemon()
                .start(() -> shared.cache().memory().reserveAll());
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

    /** Begins the access log's file anew; see {@link AccessLog#rotate}. Any thread; returns at once. */
    public void rotateLog() {
        shared.access().rotate();
    }

    @Override
    public void close() {
        if (checks != null) {
            checks.close();
        }
        if (certificates != null) {
            certificates.close();
        }
        windows.close();
        acceptor.close();
        if (control != null) {
            control.close();
        }
        shared.access().close();
        shared.purger().close();
        shared.cache().clear();
    }
}
