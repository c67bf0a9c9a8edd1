package dev.komainu.organizer;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.control.Annex;
import dev.komainu.intermediary.control.ConfigurationReload;
import dev.komainu.intermediary.control.ControlListener;
import dev.komainu.intermediary.process.ReloadCounts;
import dev.komainu.intermediary.purge.Spread;
import dev.komainu.intermediary.upstream.Cluster;
import dev.komainu.organizer.control.ClusterRoutes;
import dev.komainu.organizer.control.ControlEndpoint;
import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.front.FrontSettings;
import dev.komainu.organizer.front.Inside;
import dev.komainu.organizer.front.Routing;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.member.Credentials;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.member.Grants;
import dev.komainu.organizer.member.Membership;
import dev.komainu.organizer.page.PageFile;
import dev.komainu.organizer.report.ClusterReport;
import dev.komainu.organizer.report.Outlet;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.ServerState;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.server.LocalServer;
import dev.komainu.organizer.service.FarEnds;
import dev.komainu.organizer.service.Services;
import dev.komainu.settings.Configuration;
import dev.komainu.telemetry.record.ClusterView;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.MultithreadEventExecutorGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running organizer: the parts wired together once, as a program of its own or inside a proxy. */
public final class Organizer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Organizer.class);

    /** A line has at most four connections, one or more for each loop. */
    private static final int MOST_LOOPS = 4;

    private static final int DRAIN_LOOK_MILLIS = 50;

    /** What a crash loses of what was learnt of pages. */
    private static final int PAGES_SECONDS = 60;

    private final EventLog events;
    private final LineWatch lines;
    private final LocalServers servers;
    private final Membership membership;
    private final Front front;
    private final Services services;
    private final @Nullable Inside inside;
    private final Reloading reloading;
    private final ClusterRoutes routes;
    private final @Nullable ControlEndpoint control;
    private final @Nullable ClusterReport report;
    /** Absent: nothing is kept. The clock's thread has it, and whoever closes. */
    private final @Nullable PageFile pages;

    private final ExecutorService looks = Executors.newVirtualThreadPerTaskExecutor();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-servers").daemon().unstarted(task));
    /** Guarded by this. */
    private boolean draining;

    private volatile boolean leaving;

    private Organizer(
            Configuration<OrganizerSettings> configuration,
            Credentials credentials,
            Grants grants,
            @Nullable Inside inside,
            @Nullable Outlet outlet)
            throws IOException {
        OrganizerSettings settings = configuration.settings();
        this.inside = inside;
        servers = new LocalServers(settings.serve());
        // Before anybody is told of them: a server that is not there yet is announced as stopped.
        look(servers.all());
        events = new EventLog(System::currentTimeMillis);
        if (inside == null) {
            events.hush();
        }
        lines = new LineWatch(events);
        membership = Membership.join(
                settings.membership(),
                credentials,
                grants,
                settings.line(),
                servers.announced(),
                servers::load,
                events,
                System::currentTimeMillis,
                System::nanoTime);
        try {
            front = new Front(
                    frontSettings(settings, inside),
                    new Routing(
                            settings.membership().member(),
                            settings.membership().cluster(),
                            membership::table,
                            membership.outlooks(),
                            servers::of),
                    lineTls(settings, credentials),
                    FarEnds.of(settings.membership().member(), servers::addresses),
                    inside,
                    ProxyClock.SYSTEM,
                    GrantedPurges.of(grants, settings.membership().cluster(), System::currentTimeMillis));
        } catch (IOException e) {
            membership.close();
            throw e;
        }
        pages = settings.data() == null ? null : new PageFile(settings.data().resolve("pages"), front.pageCounts());
        if (pages != null) {
            front.recallPages(pages);
        }
        // A program of its own says so in its greeting.
        if (inside != null
                && settings.lines().carrier() != LineCarrier.TCP
                && !settings.plainLines()
                && !front.lineWithoutQuic().isEmpty()) {
            LOG.warn("Peers reach this line over TCP only: {}", front.lineWithoutQuic());
        }
        try {
            services = new Services(front, settings.services());
        } catch (IOException e) {
            membership.close();
            front.close();
            throw e;
        }
        try {
            routes = new ClusterRoutes(membership, front, services, events, this::drain, this::weigh);
            control = settings.control() == null
                    ? null
                    : new ControlEndpoint(settings.control(), routes, this::reload, this::reloads);
        } catch (IOException e) {
            membership.close();
            services.close();
            front.close();
            throw e;
        }
        try {
            report = report(settings, events, outlet);
        } catch (IOException e) {
            membership.close();
            services.close();
            front.close();
            if (control != null) {
                control.close();
            }
            throw e;
        }
        reloading = new Reloading(
                configuration, new Changeover(membership, front, services, control, this::serve, () -> leaving));
        clock.scheduleWithFixedDelay(this::everySecond, 1, 1, TimeUnit.SECONDS);
        clock.scheduleWithFixedDelay(this::keepPages, PAGES_SECONDS, PAGES_SECONDS, TimeUnit.SECONDS);
    }

    /** What it says of itself when it has started. From then on what happens is written down as it happens. */
    List<String> greeting() {
        return Greeting.lines(
                settings(),
                front.lineAddress(),
                front.lineWithoutQuic(),
                front.address(),
                controlAddress(),
                servers.seen().stream()
                        .filter(server -> server.state().equals(ServerState.STOPPED.text()))
                        .map(ClusterView.Server::address)
                        .toList(),
                membership.members());
    }

    /** To be called behind the greeting. */
    void greeted() {
        events.aloud(Set.of(EventLog.Kind.JOINED, EventLog.Kind.SERVER_CHANGED));
    }

    /** By its own settings, or else by whatever way there is. */
    private @Nullable ClusterReport report(OrganizerSettings settings, EventLog events, @Nullable Outlet outlet)
            throws IOException {
        String cluster = settings.membership().cluster();
        if (settings.report() != null) {
            return ClusterReport.alone(
                    settings.report(), cluster, membership, front, events, servers::seen, this::judged);
        }
        return outlet == null ? null : ClusterReport.beside(outlet, cluster, membership, front, events, servers::seen);
    }

    /** What the central service thinks of this member's servers: states of the model by address. Any thread. */
    public void judged(Map<String, String> states) {
        servers.told(states, System.nanoTime());
    }

    private static FrontSettings frontSettings(OrganizerSettings settings, @Nullable Inside inside) {
        return new FrontSettings(
                settings.front(),
                new InetSocketAddress(settings.line().host(), settings.line().port()),
                inside != null && inside.loops() instanceof MultithreadEventExecutorGroup all
                        ? all.executorCount()
                        : Math.min(MOST_LOOPS, Runtime.getRuntime().availableProcessors()),
                settings.times().idle(),
                settings.times().head(),
                settings.lines(),
                settings.pages());
    }

    /** As members are known to each other: by certificates whose names count, or by the one secret. */
    private static @Nullable LineTls lineTls(OrganizerSettings settings, Credentials credentials) throws IOException {
        OrganizerSettings.CertificateFiles files = settings.certificates();
        if (settings.plainLines()) {
            return null;
        }
        return files == null
                ? new LineTls(credentials.tls(), credentials.keys(), credentials.trust())
                : new LineTls(files.certificate(), files.key(), files.authorities());
    }

    /** @throws IOException naming what cannot be had or read */
    static Organizer start(OrganizerSettings settings) throws IOException {
        return start(Configuration.fixed(settings, "an organizer"));
    }

    /** Likewise, of one that can read its configuration again. */
    static Organizer start(Configuration<OrganizerSettings> configuration) throws IOException {
        OrganizerSettings settings = configuration.settings();
        return new Organizer(configuration, credentials(settings), grants(settings), null, null);
    }

    /**
     * Joins from inside a proxy.
     *
     * @param outlet by which it reports, when its settings name no way; absent: the proxy has none either
     * @throws IOException naming what cannot be had or read
     */
    public static Organizer inside(OrganizerSettings settings, Inside proxy, @Nullable Outlet outlet)
            throws IOException {
        return new Organizer(
                Configuration.fixed(settings, "an organizer"), credentials(settings), grants(settings), proxy, outlet);
    }

    /** The cluster, as one of the proxy's loops asks it. */
    public Cluster members(EventLoop loop) {
        return front.members(loop, Objects.requireNonNull(inside));
    }

    /** How the proxy's purges reach the other members. */
    public Spread spread() {
        return Objects.requireNonNull(front.spread());
    }

    /** What the proxy's control endpoint tells of the cluster. */
    public Annex annex() {
        return routes;
    }

    /** What only a start would find. @throws IOException naming it */
    public static void check(OrganizerSettings settings) throws IOException {
        credentials(settings);
        grants(settings);
        if (settings.control() != null) {
            ControlListener.check(settings.control());
        }
    }

    private static Credentials credentials(OrganizerSettings settings) throws IOException {
        OrganizerSettings.CertificateFiles files = settings.certificates();
        if (files != null) {
            return Credentials.ofCertificates(files.certificate(), files.key(), files.authorities());
        }
        if (settings.secretFile() == null) {
            throw new IOException("secret-file: none (expected: a file)");
        }
        return Credentials.ofSecret(settings.secretFile(), settings.membership().cluster());
    }

    private static Grants grants(OrganizerSettings settings) throws IOException {
        if (settings.grantAuthority() == null || settings.grantFile() == null) {
            return Grants.NONE;
        }
        return Grants.read(
                settings.grantAuthority(),
                settings.grantFile(),
                settings.membership().cluster(),
                settings.membership().member(),
                settings.routes(),
                System.currentTimeMillis());
    }

    private void everySecond() {
        try {
            servers.forgetHearsay(System.nanoTime());
            look(servers.all());
            tellRoutes();
            lines.look(front.lineFigures());
        } catch (RuntimeException e) {
            // A scheduled task that throws is never run again.
            LOG.error("The look at the servers failed", e);
        }
    }

    private void keepPages() {
        try {
            if (pages != null) {
                front.keepPages(pages);
            }
        } catch (RuntimeException e) {
            // A scheduled task that throws is never run again.
            LOG.error("What is learnt of pages was not kept", e);
        }
    }

    private void look(Collection<LocalServer> which) {
        List<Future<?>> all = which.stream()
                .<Future<?>>map(server -> looks.submit(server::look))
                .toList();
        for (Future<?> one : all) {
            try {
                one.get(5, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (ExecutionException | TimeoutException e) {
                LOG.warn("A look at a server did not end: {}", e.toString());
            }
        }
    }

    /** Only a change is told. */
    private synchronized void tellRoutes() {
        List<ServedRoute> routes = servers.announced();
        Announcement own = membership.own();
        Announcement next =
                new Announcement(own.member(), own.incarnation(), own.version(), own.line(), draining, routes);
        if (!next.equals(own)) {
            membership.serve(routes, draining);
        }
    }

    /** From now on, or no longer, this member wants no requests that others can take. */
    public synchronized void drain(boolean on) {
        draining = on;
        tellRoutes();
    }

    /**
     * Leaves nothing undone: tells the others that it drains, takes nothing new, and waits until what is under way is over. {@link #close} is
     * still to come.
     *
     * @param most how long to wait at most
     * @return requests and tunnels that are not over then
     */
    int drain(Duration most) throws InterruptedException {
        leaving = true;
        long until = System.nanoTime() + most.toNanos();
        drain(true);
        services.drain();
        front.drain();
        int left = front.underWay() + services.underWay();
        // Who was answered and has not heard it all yet must not be reset.
        while ((left > 0 || front.peersLeft() > 0) && System.nanoTime() - until < 0) {
            Thread.sleep(DRAIN_LOOK_MILLIS);
            left = front.underWay() + services.underWay();
        }
        return left;
    }

    /**
     * Reads the configuration again, as a whole: with a mistake nothing changes. What can change while this runs rules the next request
     * when this returns; what is under way ends as it began. Any thread but an event loop's.
     */
    ConfigurationReload.Report reload(boolean dryRun) {
        return reloading.reload(dryRun);
    }

    private ReloadCounts.Figures reloads() {
        return reloading.figures();
    }

    /** In force now. */
    OrganizerSettings settings() {
        return reloading.settings();
    }

    private void serve(List<OrganizerSettings.Serve> serve) {
        Serving next = servers.next(serve);
        // Before anybody is told of them, as at the start.
        look(next.byAddress().values().stream()
                .filter(server -> !servers.all().contains(server))
                .toList());
        synchronized (this) {
            servers.take(next);
            tellRoutes();
        }
    }

    private synchronized boolean weigh(UrlPrefix prefix, int weight) {
        if (!servers.weigh(prefix, weight)) {
            return false;
        }
        tellRoutes();
        return true;
    }

    Front front() {
        return front;
    }

    Services services() {
        return services;
    }

    Membership membership() {
        return membership;
    }

    /** Who of this member's servers serves a prefix; absent: none. */
    @Nullable
    LocalServer server(UrlPrefix prefix) {
        return servers.of(prefix);
    }

    /** Absent without a control endpoint. */
    @Nullable
    InetSocketAddress controlAddress() {
        return control == null ? null : control.address();
    }

    /** Leaves the cluster, so that the others know it is no crash. */
    @Override
    public void close() {
        clock.shutdownNow();
        looks.shutdownNow();
        // Whoever asks this member learns first that it goes; then what it was asked may end.
        membership.close();
        services.close();
        front.close();
        keepPages();
        if (report != null) {
            report.close();
        }
        if (control != null) {
            control.close();
        }
    }
}
