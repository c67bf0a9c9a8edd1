package dev.komainu.organizer;

import dev.komainu.intermediary.control.ConfigurationReload;
import dev.komainu.intermediary.control.ControlExtension;
import dev.komainu.intermediary.control.ControlListener;
import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.Components;
import dev.komainu.intermediary.process.ReloadCounts;
import dev.komainu.intermediary.purge.PurgePropagation;
import dev.komainu.intermediary.upstream.ClusterUpstream;
import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.front.ProxyEmbedding;
import dev.komainu.organizer.member.Credentials;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.member.Grants;
import dev.komainu.organizer.member.Membership;
import dev.komainu.organizer.report.ReportSink;
import dev.komainu.organizer.route.ServerState;
import dev.komainu.organizer.route.UrlPrefix;
import dev.komainu.organizer.server.LocalServer;
import dev.komainu.organizer.service.ServiceEntries;
import dev.komainu.settings.Configuration;
import dev.komainu.telemetry.record.ClusterView;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A running organizer, as a program of its own or inside a proxy: its components, and what is done
 * with them together.
 */
public final class Organizer implements AutoCloseable {

    private static final int DRAIN_LOOK_MILLIS = 50;

    private final EventLog events = new EventLog(System::currentTimeMillis);
    private final ServersComponent servers;
    private final MembershipComponent member;
    private final FrontComponent front;
    private final ServicesComponent services;
    private final OrganizerControlComponent control;
    private final Components<OrganizerSettings> components;
    private final OrganizerConfigurationReload reloading;
    /** Absent: a program of its own. */
    private final @Nullable ProxyEmbedding inside;

    private volatile boolean leaving;

    private Organizer(
            Configuration<OrganizerSettings> configuration,
            Credentials credentials,
            Grants grants,
            @Nullable ProxyEmbedding inside,
            @Nullable ReportSink outlet) {
        OrganizerSettings settings = configuration.settings();
        this.inside = inside;
        if (inside == null) {
            events.deferLogging();
        }
        servers = new ServersComponent(settings);
        member = new MembershipComponent(settings, credentials, grants, servers, events);
        front = new FrontComponent(settings, credentials, grants, servers, member, inside);
        services = new ServicesComponent(settings, front);
        control = new OrganizerControlComponent(
                settings.control(), member, front, services, events, this::reload, this::reloads);
        components = Components.of(
                servers,
                member,
                front,
                new Leave(member),
                services,
                control,
                new OrganizerReportComponent(
                        settings, member, front, servers, events, outlet, this::judged),
                new ClockComponent(servers, member, front, events));
        reloading = new OrganizerConfigurationReload(
                configuration, new OrganizerReload(member, components, () -> leaving));
    }

    /**
     * The end of the membership before that of the front: the peers that send requests to this
     * member learn first that it goes; then what it was asked may end.
     */
    private record Leave(MembershipComponent member) implements Component<OrganizerSettings> {
        @Override
        public void close() {
            member.leave();
        }
    }

    /**
     * What it says of itself when it has started. From then on what happens is written down as it
     * happens.
     */
    List<String> greeting() {
        return StartupMessage.lines(
                settings(),
                front().lineAddress(),
                front().lineWithoutQuic(),
                front().address(),
                controlAddress(),
                servers.all().seen().stream()
                        .filter(server -> server.state().equals(ServerState.STOPPED.text()))
                        .map(ClusterView.Server::address)
                        .toList(),
                membership().members());
    }

    /** To be called behind the greeting. */
    void greeted() {
        events.startLogging(Set.of(EventLog.Kind.JOINED, EventLog.Kind.SERVER_CHANGED));
    }

    /**
     * What the central service thinks of this member's servers: states of the model by address. Any
     * thread.
     */
    public void judged(Map<String, String> states) {
        servers.all().told(states, System.nanoTime());
    }

    /** @throws IOException naming what cannot be had or read */
    static Organizer start(OrganizerSettings settings) throws IOException {
        return start(Configuration.fixed(settings, "an organizer"));
    }

    /** Likewise, of one that can read its configuration again. */
    static Organizer start(Configuration<OrganizerSettings> configuration) throws IOException {
        OrganizerSettings settings = configuration.settings();
        return opened(
                new Organizer(configuration, credentials(settings), grants(settings), null, null));
    }

    /**
     * Joins from inside a proxy.
     *
     * @param outlet by which it reports, when its settings name no way; absent: the proxy has none
     *     either
     * @throws IOException naming what cannot be had or read
     */
    public static Organizer inside(
            OrganizerSettings settings, ProxyEmbedding proxy, @Nullable ReportSink outlet)
            throws IOException {
        return opened(new Organizer(
                Configuration.fixed(settings, "an organizer"),
                credentials(settings),
                grants(settings),
                proxy,
                outlet));
    }

    private static Organizer opened(Organizer organizer) throws IOException {
        organizer.components.open();
        return organizer;
    }

    /** The cluster, as one of the proxy's loops asks it. */
    public ClusterUpstream members(EventLoop loop) {
        return front().members(loop, Objects.requireNonNull(inside));
    }

    /** How the proxy's purges reach the other members. */
    public PurgePropagation spread() {
        return Objects.requireNonNull(front().spread());
    }

    /** What the proxy's control endpoint tells of the cluster. */
    public ControlExtension annex() {
        return control.routes();
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
            return Credentials.ofCertificates(
                    files.certificate(), files.key(), files.authorities());
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

    /** From now on, or no longer, this member wants no requests that others can take. */
    public void drain(boolean on) {
        member.drain(on);
    }

    /**
     * Leaves nothing undone: tells the others that it drains, takes nothing new, and waits until
     * what is under way is over. {@link #close} is still to come.
     *
     * @param most how long to wait at most
     * @return requests and tunnels that are not over then
     */
    int drain(Duration most) throws InterruptedException {
        leaving = true;
        long until = System.nanoTime() + most.toNanos();
        drain(true);
        services.get().drain();
        front.get().drain();
        int left = front.get().underWay() + services.get().underWay();
        // Who was answered and has not heard it all yet must not be reset.
        while ((left > 0 || front.get().peersLeft() > 0) && System.nanoTime() - until < 0) {
            Thread.sleep(DRAIN_LOOK_MILLIS);
            left = front.get().underWay() + services.get().underWay();
        }
        return left;
    }

    /**
     * Reads the configuration again, as a whole: with a mistake nothing changes. What can change
     * while this runs rules the next request when this returns; what is under way ends as it began.
     * Any thread but an event loop's.
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

    Front front() {
        return front.get();
    }

    ServiceEntries services() {
        return services.get();
    }

    Membership membership() {
        return member.get();
    }

    /** Who of this member's servers serves a prefix; absent: none. */
    @Nullable
    LocalServer server(UrlPrefix prefix) {
        return servers.all().of(prefix);
    }

    /** Absent without a control endpoint. */
    @Nullable
    InetSocketAddress controlAddress() {
        return control.address();
    }

    /** Leaves the cluster, so that the others know it is no crash. */
    @Override
    public void close() {
        components.close();
    }
}
