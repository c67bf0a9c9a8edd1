package dev.komainu.proxy;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.control.ConfigurationReload;
import dev.komainu.intermediary.control.ControlAuthorization;
import dev.komainu.intermediary.lifecycle.Components;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.intermediary.process.ReloadCounts;
import dev.komainu.organizer.Organizer;
import dev.komainu.organizer.report.ReportSink;
import dev.komainu.proxy.cache.partition.PartitionFigures;
import dev.komainu.proxy.connection.ConnectionLimits;
import dev.komainu.proxy.control.ControlServer;
import dev.komainu.proxy.control.SquidPages;
import dev.komainu.proxy.disk.DiskTier;
import dev.komainu.proxy.exchange.ExchangeServices;
import dev.komainu.proxy.log.AccessLog;
import dev.komainu.proxy.report.ProxySnapshot;
import dev.komainu.proxy.tally.ExchangeLog;
import dev.komainu.proxy.tls.Certificates;
import dev.komainu.settings.Configuration;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.record.RecordSink;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running proxy: its components, and the operations on all of them. */
public final class Proxy implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);

    private final Configuration<ProxySettings> configuration;
    /** The identity at the central service; null for none. */
    private final @Nullable PartIdentity identity;

    private final ProxyClock clock;
    private final String service;
    private final ReloadCounts reloads = new ReloadCounts();
    private final ExchangeLog exchanges;
    private final SquidPages pages;

    private final StorageComponent storage;
    private final UpstreamComponent upstream;
    private final PolicyComponent policy;
    /** The certificates; null without TLS for clients. */
    private final @Nullable CertificatesComponent certificates;

    private final EventLoopComponent loops;
    /** The membership; null when this proxy is in no cluster. */
    private final @Nullable MemberComponent member;

    private final ProxyReportComponent reports;
    private final ResourceComponent resources;
    /** The decision on peak times; null without a disk. */
    private final @Nullable PeakComponent peak;
    /** The control endpoint; null for none. */
    private final @Nullable ProxyControlComponent control;

    private final Components<ProxySettings> components;

    /** Metrics of the way to the central service. */
    private final Supplier<String> central;

    private volatile ProxySettings settings;
    private volatile boolean draining;

    private Proxy(
            Configuration<ProxySettings> configuration,
            ProxyClock clock,
            RecordSink sink,
            Supplier<Map<String, Long>> drops,
            @Nullable ReportSink clusterSink,
            @Nullable PartIdentity identity) {
        this.identity = identity;
        this.central = clusterSink == null ? () -> "" : clusterSink.metrics();
        this.configuration = configuration;
        this.settings = configuration.settings();
        this.clock = clock;
        service = settings.node() + ":" + settings.firstListen().getPort();
        exchanges = new ExchangeLog(service, settings.exchangesPerSecond(), sink);
        storage = new StorageComponent(settings, clock);
        pages = new SquidPages(storage.memory(), clock);
        upstream = new UpstreamComponent(settings);
        policy = new PolicyComponent(settings, storage.inFlight());
        certificates = settings.tls().listen() == null ? null : new CertificatesComponent(settings);
        loops = new EventLoopComponent(
                settings, this::services, this::limits, upstream, policy, certificates);
        member = settings.organizer() == null
                ? null
                : new MemberComponent(settings.organizer(), loops, clusterSink);
        reports = new ProxyReportComponent(
                settings,
                service,
                exchanges,
                loops,
                upstream.servers().health(),
                reloads,
                pages,
                drops);
        resources = new ResourceComponent(settings, storage.memory(), policy, loops);
        peak = settings.disk().directory() == null
                ? null
                : new PeakComponent(settings, storage, loops, reports, pages, clock);
        control = settings.control() == null ? null : new ProxyControlComponent(this::openControl);
        components = Components.of(
                storage,
                upstream,
                policy,
                certificates,
                loops,
                member,
                new HealthCheckComponent(upstream, loops),
                reports,
                resources,
                peak,
                control);
    }

    /** Returns the services of exchanges. Storage must be open. */
    private ExchangeServices services() {
        return new ExchangeServices(
                storage.memory(),
                storage.disk(),
                storage.inFlight(),
                storage.purger(),
                resources.readAhead(),
                pages,
                exchanges,
                clock,
                viaName(settings));
    }

    private ConnectionLimits limits() {
        return resources.limits();
    }

    /** Opens the control endpoint. All other components must be open. */
    private ControlServer openControl() throws IOException {
        return new ControlServer(
                Objects.requireNonNull(settings.control()),
                reports.windows()::latest,
                () -> certificates == null ? null : certificates.get().figures(),
                storage.memory(),
                clock,
                storage.purger(),
                peak == null ? null : peak.get(),
                member == null ? null : member.get().controlExtension(),
                () -> draining,
                this::reload,
                () -> {
                    rotateLog();
                    return policy.policy().access().isOn();
                },
                central,
                identity);
    }

    /**
     * Starts to serve.
     *
     * @param drops supplies the records that were not delivered to the central service, by reason
     * @throws BindException when an address is not available
     * @throws IOException when the control token cannot be read or the access log cannot be written
     */
    public static Proxy start(
            ProxySettings settings,
            ProxyClock clock,
            RecordSink sink,
            Supplier<Map<String, Long>> drops)
            throws IOException {
        return start(Configuration.fixed(settings, "a proxy"), clock, sink, drops);
    }

    /** Starts a proxy that can reload its configuration. */
    static Proxy start(
            Configuration<ProxySettings> configuration,
            ProxyClock clock,
            RecordSink sink,
            Supplier<Map<String, Long>> drops)
            throws IOException {
        return start(configuration, clock, sink, drops, null, null);
    }

    /**
     * Starts a proxy that can reload its configuration and reports on its cluster.
     *
     * @param clusterSink the sink for reports on the cluster; null for none
     * @param identity the identity at the central service; null for none
     */
    static Proxy start(
            Configuration<ProxySettings> configuration,
            ProxyClock clock,
            RecordSink sink,
            Supplier<Map<String, Long>> drops,
            @Nullable ReportSink clusterSink,
            @Nullable PartIdentity identity)
            throws IOException {
        Proxy proxy = new Proxy(configuration, clock, sink, drops, clusterSink, identity);
        proxy.components.open();
        proxy.upstream.protect(proxy.listeners());
        return proxy;
    }

    /**
     * Checks resources that only a start would use.
     *
     * @throws IOException with the resource that cannot be used
     */
    static void check(ProxySettings settings) throws IOException {
        if (settings.control() != null) {
            ControlAuthorization.check(settings.control());
        }
        if (settings.organizer() != null) {
            Organizer.check(settings.organizer());
        }
    }

    /**
     * Reloads the configuration as a whole; an invalid value changes nothing. When this method
     * returns, new requests use the changed settings; exchanges in progress end with the previous
     * ones. Any thread except an event loop's.
     */
    ConfigurationReload.Report reload(boolean dryRun) {
        synchronized (this) {
            ConfigurationReload.Report report;
            try {
                if (draining) {
                    throw new SettingMistakesException(
                            List.of("reload: too late (expected: before the drain)"));
                }
                Configuration.Change<ProxySettings> change = configuration.reread();
                check(change.settings());
                if (!dryRun) {
                    components.apply(new SettingsChange<>(settings, change.settings()));
                    settings = change.settings();
                    configuration.activate(change);
                    reloads.done(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
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
                report.log(LOG);
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

    private List<InetSocketAddress> listeners() {
        List<InetSocketAddress> all = new ArrayList<>(addresses());
        InetSocketAddress controls = controlAddress();
        if (controls != null) {
            all.add(controls);
        }
        return all;
    }

    /**
     * Returns this proxy's name in Via: the same after a restart, but different for two proxies in
     * a chain, which would otherwise look like a loop.
     */
    private static String viaName(ProxySettings settings) {
        int hash = Objects.hash(settings.node(), settings.firstListen().toString());
        if (settings.organizer() != null) {
            // Proxies of one cluster may have the same host name and listeners.
            hash = Objects.hash(hash, settings.organizer().membership().member().text());
        }
        return "komainu-" + Integer.toHexString(hash);
    }

    /** Returns the address of the first listener: the plain one, when there is one. */
    public InetSocketAddress address() {
        return loops.acceptor().address(0);
    }

    /** Returns the certificates; null without TLS for clients. */
    @Nullable
    Certificates certificates() {
        return certificates == null ? null : certificates.get();
    }

    /** Returns the disk tier; null when there is none. */
    @Nullable
    DiskTier disk() {
        return storage.disk();
    }

    /** Returns the addresses for clients: plain, then over TLS. */
    public List<InetSocketAddress> addresses() {
        return loops.acceptor().addresses();
    }

    /**
     * Makes the cache's memory resident, on a thread of its own, where {@code cache.touch-memory}
     * demands it. Otherwise it becomes resident as it is used
     * (docs/decisions/0034-cache-memory.md).
     */
    void touchMemory() {
        if (!settings().cache().touchAtStart()) {
            return;
        }
        Thread.ofPlatform()
                .name("komainu-slabs")
                .daemon()
                .start(() -> storage.memory().memory().touchAll());
    }

    /** Returns the address of the control endpoint; null when there is none. */
    public @Nullable InetSocketAddress controlAddress() {
        return control == null ? null : control.get().address();
    }

    /** Returns the last second's figures. */
    public ProxySnapshot figures() {
        return reports.windows().latest();
    }

    /** Returns the present division of the cache. */
    PartitionFigures partition() {
        return storage.memory().partition();
    }

    public ProxySettings settings() {
        return settings;
    }

    public String service() {
        return service;
    }

    /**
     * Stops accepting and lets exchanges finish. Blocks.
     *
     * @return the connections that were cut off
     */
    public int drain() throws InterruptedException {
        draining = true;
        if (member != null) {
            member.get().drain(true);
        }
        return loops.acceptor().drain(settings.connections().drainTimeout().toMillis());
    }

    /**
     * Reports this proxy's sighting and status to the central service again. Any thread; returns at
     * once.
     */
    public void reportAgain() {
        reports.self().reportAgain();
    }

    /**
     * Receives the central service's states of the servers that this proxy, as a member of a
     * cluster, uses.
     */
    void judged(Map<String, String> states) {
        if (member != null) {
            member.get().applyServerStates(states);
        }
    }

    /**
     * Starts a new access log file, when there is an access log; see {@link AccessLog#rotate}. Any
     * thread; returns at once.
     */
    public void rotateLog() {
        policy.policy().access().rotate();
    }

    @Override
    public void close() {
        synchronized (this) {
            draining = true;
        }
        components.close();
    }
}
