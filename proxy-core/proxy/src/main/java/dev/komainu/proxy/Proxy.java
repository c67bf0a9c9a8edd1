package dev.komainu.proxy;

import dev.komainu.intermediary.access.AccessList;
import dev.komainu.intermediary.access.DialGuard;
import dev.komainu.intermediary.buffer.BufferBudget;
import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.control.ConfigurationReload;
import dev.komainu.intermediary.control.ControlListener;
import dev.komainu.intermediary.process.ReloadCounts;
import dev.komainu.intermediary.purge.PurgeLog;
import dev.komainu.intermediary.upstream.AddressBook;
import dev.komainu.intermediary.upstream.HealthBook;
import dev.komainu.intermediary.upstream.HealthChecks;
import dev.komainu.intermediary.upstream.KnownServers;
import dev.komainu.organizer.Organizer;
import dev.komainu.organizer.front.Inside;
import dev.komainu.organizer.report.Outlet;
import dev.komainu.proxy.acceptor.Acceptor;
import dev.komainu.proxy.acceptor.Door;
import dev.komainu.proxy.cache.partition.PartitionFigures;
import dev.komainu.proxy.cache.tier.MemoryCache;
import dev.komainu.proxy.connection.BudgetBound;
import dev.komainu.proxy.connection.BufferMemory;
import dev.komainu.proxy.connection.ClientCounts;
import dev.komainu.proxy.connection.ClientPlaces;
import dev.komainu.proxy.connection.ConnectionLimits;
import dev.komainu.proxy.connection.Descriptors;
import dev.komainu.proxy.connection.OriginPorts;
import dev.komainu.proxy.connection.Reclamation;
import dev.komainu.proxy.connection.Resource;
import dev.komainu.proxy.connection.ResourceWatch;
import dev.komainu.proxy.connection.SocketMemory;
import dev.komainu.proxy.control.ControlServer;
import dev.komainu.proxy.control.SquidPages;
import dev.komainu.proxy.deliver.ReadAhead;
import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.proxy.exchange.ExchangeServices;
import dev.komainu.proxy.exchange.MemberStream;
import dev.komainu.proxy.exchange.Policy;
import dev.komainu.proxy.exchange.Worker;
import dev.komainu.proxy.fetch.InFlightFetches;
import dev.komainu.proxy.log.AccessLog;
import dev.komainu.proxy.peak.PeakWatch;
import dev.komainu.proxy.peak.Rhythm;
import dev.komainu.proxy.purge.Purger;
import dev.komainu.proxy.report.Figures;
import dev.komainu.proxy.report.SelfReport;
import dev.komainu.proxy.report.WindowReport;
import dev.komainu.proxy.route.RouteTable;
import dev.komainu.proxy.tally.ExchangeLog;
import dev.komainu.proxy.tls.Certificates;
import dev.komainu.proxy.tls.Handshake;
import dev.komainu.settings.Configuration;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.RecordSink;
import io.netty.channel.EventLoop;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running proxy: the parts wired together once. */
public final class Proxy implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);
    private static final int LOOPS_SECONDS = 10;

    private final Configuration<ProxySettings> configuration;
    private final ExchangeServices services;
    private final ConnectionLimits limits;
    private final KnownServers servers;
    private final ReloadCounts reloads = new ReloadCounts();
    private final DialGuard guard;
    private final Acceptor acceptor;
    private final @Nullable Certificates certificates;
    private final String service;
    private final SelfReport self;
    private final WindowReport windows;
    private final ResourceWatch resources;
    private final @Nullable PeakWatch peak;
    private final @Nullable ControlServer control;
    /** This proxy as a member of its cluster; absent: it is in none. */
    private final @Nullable Organizer member;

    private final SquidPages pages;
    private volatile ProxySettings settings;
    private volatile Policy policy;
    /** Guarded by this, as reloads are. */
    private @Nullable HealthChecks checks;

    private volatile boolean draining;

    private Proxy(
            Configuration<ProxySettings> configuration,
            ExchangeServices services,
            ConnectionLimits limits,
            KnownServers servers,
            Policy initial,
            DialGuard guard,
            SquidPages pages,
            Acceptor acceptor,
            @Nullable Certificates certificates,
            @Nullable Organizer member,
            String service,
            Supplier<Map<String, Long>> drops)
            throws IOException {
        this.certificates = certificates;
        this.member = member;
        this.configuration = configuration;
        this.settings = configuration.settings();
        this.policy = initial;
        this.services = services;
        this.limits = limits;
        this.servers = servers;
        this.guard = guard;
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
                services.log().sink());
        this.pages = pages;
        this.windows =
                new WindowReport(services, limits, servers.health(), reloads, acceptor.workers(), this::everySecond);
        this.resources = new ResourceWatch(
                limits.reclamation(),
                resources(services.cache(), limits, acceptor),
                () -> policy.connections().idleTimeout().toNanos());
        this.checks = HealthChecks.start(
                servers.health(), acceptor.workers().getFirst().origins());
        this.peak = peak(settings, services, acceptor.workers(), windows);
        pages.tellPeak(() -> peak == null ? null : peak.view(services.clock().wallMillis()));
        this.control = settings.control() == null
                ? null
                : new ControlServer(
                        settings.control(),
                        windows::latest,
                        () -> certificates == null ? null : certificates.figures(),
                        services.cache(),
                        services.clock(),
                        services.purger(),
                        peak,
                        member == null ? null : member.annex(),
                        () -> draining,
                        this::reload,
                        () -> {
                            rotateLog();
                            return policy.access().isOn();
                        });
        windows.start();
        resources.start();
        limits.buffers().start();
        if (peak != null) {
            peak.start();
        }
    }

    private static List<Resource> resources(MemoryCache cache, ConnectionLimits limits, Acceptor acceptor) {
        LongSupplier connections = () -> limits.clients().open()
                + acceptor.workers().stream()
                        .mapToLong(worker -> worker.origins().openInAll())
                        .sum();
        long direct = PlatformDependent.estimateMaxDirectMemory();
        return List.of(
                new ClientPlaces(limits.clients()),
                new Descriptors(connections),
                new SocketMemory(),
                new OriginPorts(() -> acceptor.workers().stream()
                        .mapToLong(worker -> worker.origins().mostToOne())
                        .sum()),
                // Where Netty's buffers come from the same account as the cache's slabs, these are not to be had.
                new BufferMemory(
                        acceptor::bufferBytes,
                        PlatformDependent.useDirectBufferNoCleaner()
                                ? direct
                                : Math.max(1, direct - cache.memory().capacity())),
                new BudgetBound(limits.buffers()));
    }

    /** Without a disk there is nothing to decide. */
    private static @Nullable PeakWatch peak(
            ProxySettings settings, ExchangeServices services, List<Worker> workers, WindowReport windows) {
        DiskTier disk = services.disk();
        if (disk == null) {
            return null;
        }
        long day = settings.peak().day().toMillis();
        boolean isDay = day == Duration.ofDays(1).toMillis();
        ZoneRules rules = ZoneId.systemDefault().getRules();
        Rhythm rhythm = new Rhythm(
                day, at -> isDay ? rules.getOffset(Instant.ofEpochMilli(at)).getTotalSeconds() * 1000L : 0);
        return new PeakWatch(
                settings.peak(),
                rhythm,
                disk.directory().resolve("rhythm"),
                services.clock().wallMillis(),
                new PeakReadings(windows::latest, workers, disk, services.clock()),
                new PeakConsequences(disk));
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
        return start(Configuration.fixed(settings, "a proxy"), clock, sink, drops);
    }

    /** Likewise, for a proxy that can read its configuration again. */
    static Proxy start(
            Configuration<ProxySettings> configuration,
            ProxyClock clock,
            RecordSink sink,
            Supplier<Map<String, Long>> drops)
            throws IOException {
        return start(configuration, clock, sink, drops, null);
    }

    /**
     * Likewise.
     *
     * @param outlet by which it tells, as a member of a cluster, what it sees of that; absent: there is nobody to tell
     */
    static Proxy start(
            Configuration<ProxySettings> configuration,
            ProxyClock clock,
            RecordSink sink,
            Supplier<Map<String, Long>> drops,
            @Nullable Outlet outlet)
            throws IOException {
        ProxySettings settings = configuration.settings();
        DialGuard guard = new DialGuard(dialExceptions(settings));
        HealthBook health = new HealthBook(settings.upstream().health());
        health.know(settings.routes().stream().map(RouteTable.Route::origin).toList());
        String service = settings.node() + ":" + settings.firstListen().getPort();
        MemoryCache cache = new MemoryCache(settings.cache());
        Path directory = settings.disk().directory();
        DiskTier disk = directory == null ? null : DiskTier.open(settings.disk(), directory, cache, clock);
        InFlightFetches inFlight = new InFlightFetches();
        SquidPages pages = new SquidPages(cache, clock);
        ClientCounts places = new ClientCounts(settings.connections());
        ConnectionLimits limits = new ConnectionLimits(
                places, new Reclamation(settings.reclaim(), places), new BufferBudget(settings.buffers()));
        Policy policy = policy(settings, AccessLog.open(settings.log()));
        KnownServers servers =
                new KnownServers(new AddressBook(guard, settings.upstream().dns()), health);
        ExchangeServices services = new ExchangeServices(
                cache,
                disk,
                inFlight,
                new Purger(cache, disk, inFlight, clock),
                new ReadAhead(settings.deliver().readAheadBytes()),
                pages,
                new ExchangeLog(service, settings.exchangesPerSecond(), sink),
                clock,
                viaName(settings));
        places.onRoom(limits.reclamation()::placeIsFree);
        Certificates certificates = null;
        Acceptor acceptor;
        try {
            if (settings.tls().listen() != null) {
                certificates = Certificates.open(settings.tls(), protocols(settings));
            }
            acceptor = Acceptor.open(
                    doors(settings, certificates),
                    settings.workers(),
                    settings.transport(),
                    limits,
                    (loop, channels, allocator) ->
                            new Worker(services, limits, servers, policy, loop, channels, allocator));
        } catch (IOException e) {
            policy.access().close();
            if (certificates != null) {
                certificates.close();
            }
            close(disk);
            throw e;
        }
        Organizer member = null;
        try {
            member = join(settings, acceptor, clock, services.purger(), outlet);
            Proxy proxy = new Proxy(
                    configuration,
                    services,
                    limits,
                    servers,
                    policy,
                    guard,
                    pages,
                    acceptor,
                    certificates,
                    member,
                    service,
                    drops);
            if (settings.isForward()) {
                guard.protect(proxy.listeners());
            }
            return proxy;
        } catch (IOException e) {
            if (member != null) {
                member.close();
            }
            acceptor.close();
            policy.access().close();
            close(disk);
            throw e;
        }
    }

    /** From now on members ask this proxy, and it asks them. */
    private static @Nullable Organizer join(
            ProxySettings settings, Acceptor acceptor, ProxyClock clock, Purger purger, @Nullable Outlet outlet)
            throws IOException {
        if (settings.organizer() == null) {
            return null;
        }
        Map<EventLoop, Worker> workers = new IdentityHashMap<>();
        acceptor.workers().forEach(worker -> workers.put(worker.loop(), worker));
        Organizer joined = Organizer.inside(
                settings.organizer(),
                new Inside(
                        acceptor.loops(),
                        (head, ends, stream, peer) -> MemberStream.take(
                                Objects.requireNonNull(workers.get(stream.loop())), head, ends, stream, peer),
                        settings.organizer().share(),
                        new PurgeLog(
                                settings.organizer().membership().member() + "@" + clock.wallMillis(),
                                clock::steadyMillis),
                        purger::carryOutHere),
                outlet);
        purger.spreadBy(joined.spread());
        workers.forEach((loop, worker) -> loop.execute(() -> worker.joins(joined.members(loop))));
        return joined;
    }

    private static void close(@Nullable DiskTier disk) {
        if (disk != null) {
            disk.close();
        }
    }

    private static AccessList dialExceptions(ProxySettings settings) {
        return settings.isForward() ? settings.dialExceptions() : AccessList.EVERYBODY;
    }

    private static List<String> protocols(ProxySettings settings) {
        return settings.streams().enabled() ? List.of(Handshake.HTTP_2, Handshake.HTTP_1) : List.of(Handshake.HTTP_1);
    }

    private static Policy policy(ProxySettings settings, AccessLog access) {
        return new Policy(
                settings.isForward()
                        ? RouteTable.forward(settings.connectPorts())
                        : RouteTable.reverse(settings.routes()),
                settings.clients(),
                settings.purgers(),
                settings.managers(),
                settings.connections(),
                settings.streams(),
                settings.deliver(),
                settings.upstream(),
                settings.forwarding(),
                settings.tls().handshakeTimeout(),
                access);
    }

    /**
     * Checks what only a start would find.
     *
     * @throws IOException naming what cannot be used
     */
    static void check(ProxySettings settings) throws IOException {
        if (settings.control() != null) {
            ControlListener.check(settings.control());
        }
        if (settings.organizer() != null) {
            Organizer.check(settings.organizer());
        }
    }

    /**
     * Reads the configuration again, as a whole: with a mistake nothing changes. What can change while serving rules the next
     * request when this returns; what is under way ends as it began. Any thread but an event loop's.
     */
    ConfigurationReload.Report reload(boolean dryRun) {
        synchronized (this) {
            ConfigurationReload.Report report;
            try {
                if (draining) {
                    throw new SettingMistakesException(List.of("reload: too late (expected: before the drain)"));
                }
                Configuration.Change<ProxySettings> change = configuration.again();
                check(change.settings());
                if (!dryRun) {
                    apply(change);
                }
                report = new ConfigurationReload.Report(
                        List.of(),
                        change.applied(),
                        change.needsRestart(),
                        change.unchanged(),
                        reloads.figures().generation(),
                        dryRun);
            } catch (SettingMistakesException e) {
                report = refused(e.mistakes(), dryRun);
            } catch (IOException e) {
                report = refused(List.of(String.valueOf(e.getMessage())), dryRun);
            }
            if (!dryRun) {
                report.tell(LOG);
            }
            return report;
        }
    }

    private ConfigurationReload.Report refused(List<String> problems, boolean dryRun) {
        if (!dryRun) {
            reloads.refused();
        }
        return new ConfigurationReload.Report(
                problems, List.of(), Map.of(), 0, reloads.figures().generation(), dryRun);
    }

    /** First what can fail, then what cannot. */
    private void apply(Configuration.Change<ProxySettings> change) throws IOException {
        ProxySettings before = settings;
        ProxySettings next = change.settings();
        Runnable tokens = control == null || next.control() == null ? () -> {} : control.prepare(next.control());
        AccessLog access = next.log().equals(before.log()) ? policy.access() : AccessLog.open(next.log());
        try {
            if (certificates != null) {
                if (next.tls().equals(before.tls()) && protocols(next).equals(protocols(before))) {
                    certificates.look();
                } else {
                    certificates.take(next.tls(), protocols(next));
                }
            }
        } catch (IOException e) {
            if (access != policy.access()) {
                access.close();
            }
            throw e;
        }
        boolean otherChecks = !next.upstream().health().equals(before.upstream().health());
        if (otherChecks && checks != null) {
            checks.close();
        }
        tokens.run();
        guard.except(dialExceptions(next));
        limits.clients().limit(next.connections());
        limits.reclamation().ruleBy(next.reclaim());
        limits.buffers().ruleBy(next.buffers());
        services.readAhead().budget(next.deliver().readAheadBytes());
        services.cache().ruleBy(next.cache());
        if (services.disk() != null) {
            services.disk().ruleBy(next.disk());
        }
        if (peak != null && !next.peak().equals(before.peak())) {
            peak.ruleBy(next.peak());
        }
        servers.addresses().ask(next.upstream().dns());
        services.log().limit(next.exchangesPerSecond());
        servers.health().judgeBy(next.upstream().health());
        servers.health()
                .know(next.routes().stream().map(RouteTable.Route::origin).toList());
        rule(policy(next, access));
        if (!next.routes().equals(before.routes())) {
            // Nobody who comes now waits for an answer from where he would not be sent.
            services.inFlight().leavePrefixAlone(new byte[0]);
        }
        if (otherChecks) {
            checks = HealthChecks.start(
                    servers.health(), acceptor.workers().getFirst().origins());
        }
        settings = next;
        configuration.took(change);
        self.tuned(tuned(next));
        reloads.done(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
    }

    /** Hands the policy to every loop, and waits until all have it: a loop takes it between two of its tasks. */
    private void rule(Policy next) {
        AccessLog former = policy.access();
        policy = next;
        CompletableFuture<Void> taken = CompletableFuture.allOf(acceptor.workers().stream()
                .map(worker -> CompletableFuture.runAsync(() -> worker.take(next), worker.loop()))
                .toArray(CompletableFuture[]::new));
        if (former != next.access()) {
            // Its last lines are those of a loop that has not taken the other yet.
            taken = taken.thenRunAsync(former::close);
        }
        try {
            taken.get(LOOPS_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            LOG.warn("An event loop is busy; it takes the configuration later than {} s", LOOPS_SECONDS);
        } catch (ExecutionException e) {
            LOG.error("An event loop did not take the whole configuration", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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
        if (settings.organizer() != null) {
            // Proxies of one cluster may well have hosts and listeners of one name.
            hash = Objects.hash(hash, settings.organizer().membership().member().text());
        }
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

    /** Absent when there is none. */
    @Nullable
    DiskTier disk() {
        return services.disk();
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
                .start(() -> services.cache().memory().reserveAll());
    }

    /** Where the control endpoint listens; absent when there is none. */
    public @Nullable InetSocketAddress controlAddress() {
        return control == null ? null : control.address();
    }

    /** The last second's figures. */
    public Figures figures() {
        return windows.latest();
    }

    /** How the cache is divided at this instant. */
    PartitionFigures partition() {
        return services.cache().partition();
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
        if (member != null) {
            member.drain(true);
        }
        return acceptor.drain(settings.connections().drainTimeout().toMillis());
    }

    /** Tells the central service again that this proxy exists and how it fares. Any thread; returns at once. */
    public void tellAgain() {
        self.tellAgain();
    }

    /** What the centre thinks of the servers that this proxy, a member of a cluster, serves by. */
    void judged(Map<String, String> states) {
        if (member != null) {
            member.judged(states);
        }
    }

    /** Begins the access log's file anew, when there is one; see {@link AccessLog#rotate}. Any thread; returns at once. */
    public void rotateLog() {
        policy.access().rotate();
    }

    @Override
    public void close() {
        synchronized (this) {
            draining = true;
            if (checks != null) {
                checks.close();
            }
        }
        if (certificates != null) {
            certificates.close();
        }
        windows.close();
        resources.close();
        limits.buffers().close();
        if (peak != null) {
            peak.close();
        }
        if (member != null) {
            member.close();
        }
        acceptor.close();
        if (control != null) {
            control.close();
        }
        policy.access().close();
        services.purger().close();
        close(services.disk());
        services.cache().clear();
    }
}
