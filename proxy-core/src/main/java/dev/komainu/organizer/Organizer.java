package dev.komainu.organizer;

import dev.komainu.organizer.control.ControlEndpoint;
import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.front.FrontSettings;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.member.Credentials;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.member.Grants;
import dev.komainu.organizer.member.Membership;
import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.server.LocalServer;
import dev.komainu.proxy.control.ControlServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
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

/** A running organizer: the parts wired together once. */
final class Organizer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Organizer.class);

    /** A line has at most four connections, one or more for each loop. */
    private static final int MOST_LOOPS = 4;

    private final LocalServers servers;
    private final Membership membership;
    private final Front front;
    private final @Nullable ControlEndpoint control;
    private final ExecutorService looks = Executors.newVirtualThreadPerTaskExecutor();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-servers").daemon().unstarted(task));
    /** Guarded by this. */
    private boolean draining;

    private Organizer(OrganizerSettings settings, Credentials credentials, Grants grants) throws IOException {
        servers = new LocalServers(settings.serve());
        // Before anybody is told of them: a server that is not there yet is announced as stopped.
        look();
        EventLog events = new EventLog(System::currentTimeMillis);
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
                    frontSettings(settings),
                    settings.membership().member(),
                    settings.membership().cluster(),
                    membership::table,
                    membership.outlooks(),
                    servers::of,
                    lineTls(settings, credentials));
        } catch (IOException e) {
            membership.close();
            throw e;
        }
        try {
            control = settings.control() == null
                    ? null
                    : new ControlEndpoint(settings.control(), membership, front, events, this::drain, this::weigh);
        } catch (IOException e) {
            membership.close();
            front.close();
            throw e;
        }
        clock.scheduleWithFixedDelay(this::everySecond, 1, 1, TimeUnit.SECONDS);
    }

    private static FrontSettings frontSettings(OrganizerSettings settings) {
        return new FrontSettings(
                settings.front(),
                new InetSocketAddress(settings.line().host(), settings.line().port()),
                Math.min(MOST_LOOPS, Runtime.getRuntime().availableProcessors()),
                Duration.ofSeconds(60),
                Duration.ofSeconds(10),
                LineSettings.DEFAULT);
    }

    /** As members are known to each other: by certificates whose names count, or by the one secret. */
    private static @Nullable LineTls lineTls(OrganizerSettings settings, Credentials credentials) throws IOException {
        OrganizerSettings.CertificateFiles files = settings.certificates();
        if (settings.plainLines()) {
            return null;
        }
        return files == null
                ? new LineTls(credentials.tls())
                : new LineTls(files.certificate(), files.key(), files.authorities());
    }

    /** @throws IOException naming what cannot be had or read */
    static Organizer start(OrganizerSettings settings) throws IOException {
        return new Organizer(settings, credentials(settings), grants(settings));
    }

    /** What only a start would find. @throws IOException naming it */
    static void check(OrganizerSettings settings) throws IOException {
        credentials(settings);
        grants(settings);
        if (settings.control() != null) {
            ControlServer.check(settings.control());
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
            look();
            tellRoutes();
        } catch (RuntimeException e) {
            // A scheduled task that throws is never run again.
            LOG.error("The look at the servers failed", e);
        }
    }

    private void look() {
        List<Future<?>> all = servers.all().stream()
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

    private synchronized void drain(boolean on) {
        draining = on;
        tellRoutes();
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
        front.close();
        if (control != null) {
            control.close();
        }
    }
}
