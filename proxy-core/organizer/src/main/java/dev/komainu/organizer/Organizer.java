package dev.komainu.organizer;

import dev.komainu.intermediary.control.ConfigurationReload;
import dev.komainu.intermediary.control.ControlAuthorization;
import dev.komainu.intermediary.control.ControlExtension;
import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.Components;
import dev.komainu.intermediary.process.ReloadCounts;
import dev.komainu.intermediary.purge.PurgePropagation;
import dev.komainu.intermediary.upstream.ClusterUpstream;
import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.front.ProxyEmbedding;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.member.Grants;
import dev.komainu.organizer.member.Membership;
import dev.komainu.organizer.peer.PeerConnections;
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
 * A running organizer, as its own process or embedded in a proxy: its components, and the
 * operations on all of them.
 */
public final class Organizer implements AutoCloseable {

    private static final int DRAIN_POLL_MILLIS = 50;

    private final EventLog events = new EventLog(System::currentTimeMillis);
    private final IdentityComponent identity;
    private final ServersComponent servers;
    private final MembershipComponent member;
    private final FrontComponent front;
    private final ServicesComponent services;
    private final OrganizerControlComponent control;
    private final Components<OrganizerSettings> components;
    private final OrganizerConfigurationReload configurationReload;
    /** Null: the organizer runs as its own process. */
    private final @Nullable ProxyEmbedding embedding;

    private volatile boolean leaving;

    private Organizer(
            Configuration<OrganizerSettings> configuration,
            Grants grants,
            @Nullable ProxyEmbedding embedding,
            @Nullable ReportSink sink) {
        OrganizerSettings settings = configuration.settings();
        this.embedding = embedding;
        if (embedding == null) {
            events.deferLogging();
        }
        identity = new IdentityComponent(settings);
        servers = new ServersComponent(settings);
        member = new MembershipComponent(settings, identity, grants, servers, events);
        front = new FrontComponent(settings, identity, grants, servers, member, embedding);
        services = new ServicesComponent(settings, front);
        OrganizerReportComponent report = new OrganizerReportComponent(
                settings, identity, member, front, servers, events, sink, this::applyServerStates);
        control = new OrganizerControlComponent(
                settings.control(),
                identity,
                member,
                front,
                services,
                events,
                this::reload,
                this::reloads,
                report::metrics);
        components = Components.of(
                identity,
                servers,
                member,
                front,
                new LeaveComponent(member),
                services,
                control,
                report,
                new ClockComponent(identity, servers, member, front, events));
        configurationReload = new OrganizerConfigurationReload(
                configuration, new OrganizerReload(member, components, () -> leaving));
    }

    /**
     * The component that ends the membership before the front. The peers that send requests to this
     * member learn first that it leaves; then the requests in progress may end.
     */
    private record LeaveComponent(MembershipComponent member)
            implements Component<OrganizerSettings> {
        @Override
        public void close() {
            member.leave();
        }
    }

    /** Returns the startup message. Afterwards events are logged as they happen. */
    List<String> greeting() {
        return StartupMessage.lines(
                settings(),
                front().lineAddress(),
                front().lineWithoutQuic(),
                front().address(),
                controlAddress(),
                control.isEncrypted(),
                servers.all().views().stream()
                        .filter(server -> server.state().equals(ServerState.STOPPED.text()))
                        .map(ClusterView.Server::address)
                        .toList(),
                membership().members());
    }

    /** Enables the log of events. To be called after the startup message is printed. */
    void greeted() {
        events.startLogging(Set.of(EventLog.Kind.JOINED, EventLog.Kind.SERVER_CHANGED));
    }

    /**
     * Applies the states of this member's servers that the central service reports, by address. Any
     * thread.
     */
    public void applyServerStates(Map<String, String> states) {
        servers.all().applyMonitorStates(states, System.nanoTime());
    }

    /**
     * Starts an organizer with fixed settings.
     *
     * @throws IOException naming the missing or unreadable resource
     */
    static Organizer start(OrganizerSettings settings) throws IOException {
        return start(Configuration.fixed(settings, "an organizer"));
    }

    /**
     * Starts an organizer that can reload its configuration.
     *
     * @throws IOException naming the missing or unreadable resource
     */
    static Organizer start(Configuration<OrganizerSettings> configuration) throws IOException {
        OrganizerSettings settings = configuration.settings();
        return opened(new Organizer(configuration, grants(settings), null, null));
    }

    /**
     * Joins the cluster as a member embedded in a proxy.
     *
     * @param sink the report sink to use when the settings name no central service; null: the proxy
     *     does not report either
     * @throws IOException naming the missing or unreadable resource
     */
    public static Organizer inside(
            OrganizerSettings settings, ProxyEmbedding proxy, @Nullable ReportSink sink)
            throws IOException {
        return opened(new Organizer(
                Configuration.fixed(settings, "an organizer"), grants(settings), proxy, sink));
    }

    private static Organizer opened(Organizer organizer) throws IOException {
        organizer.components.open();
        return organizer;
    }

    /** Returns the cluster as an upstream for fetches on one of the proxy's loops. */
    public ClusterUpstream upstream(EventLoop loop) {
        return front().upstream(loop, Objects.requireNonNull(embedding));
    }

    /** Returns the propagation of the proxy's purges to the other members. */
    public PurgePropagation purgePropagation() {
        return Objects.requireNonNull(front().purgePropagation());
    }

    /** Returns the routes for the proxy's control endpoint. */
    public ControlExtension controlExtension() {
        return control.routes();
    }

    /**
     * Checks the files that are otherwise read at the start only.
     *
     * @throws IOException naming the missing or unreadable resource
     */
    public static void check(OrganizerSettings settings) throws IOException {
        IdentityComponent.named(settings);
        grants(settings);
        if (settings.control() != null) {
            ControlAuthorization.check(settings.control());
        }
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

    /**
     * Starts or ends draining: while draining, this member wants no requests that others can serve.
     */
    public void drain(boolean on) {
        member.drain(on);
    }

    /**
     * Drains: announces it to the other members, stops accepting, and waits until the requests in
     * progress have ended. {@link #close} must still be called.
     *
     * @param timeout maximum time to wait
     * @return number of requests and tunnels still in progress
     */
    int drain(Duration timeout) throws InterruptedException {
        leaving = true;
        long deadline = System.nanoTime() + timeout.toNanos();
        drain(true);
        services.get().drain();
        front.get().drain();
        int remaining = front.get().activeExchanges() + services.get().activeClients();
        // A peer that has not yet received its complete response must not be reset.
        while ((remaining > 0 || front.get().openPeers() > 0) && System.nanoTime() - deadline < 0) {
            Thread.sleep(DRAIN_POLL_MILLIS);
            remaining = front.get().activeExchanges() + services.get().activeClients();
        }
        return remaining;
    }

    /**
     * Reloads the whole configuration: with a mistake nothing changes. The changeable settings
     * apply to each request that starts after the return; requests in progress keep theirs. Any
     * thread except an event loop.
     */
    ConfigurationReload.Report reload(boolean dryRun) {
        return configurationReload.reload(dryRun);
    }

    private ReloadCounts.Figures reloads() {
        return configurationReload.figures();
    }

    /** Returns the settings in force. */
    OrganizerSettings settings() {
        return configurationReload.settings();
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

    /**
     * Returns the connections of members by identity; null: the settings name a secret or files.
     */
    @Nullable
    PeerConnections peers() {
        return identity.credentials().peers();
    }

    /** Returns this member's server of a prefix; null: there is none. */
    @Nullable
    LocalServer server(UrlPrefix prefix) {
        return servers.all().of(prefix);
    }

    /** Returns the address of the control endpoint; null: there is none. */
    @Nullable
    InetSocketAddress controlAddress() {
        return control.address();
    }

    /**
     * Leaves the cluster, so that the other members do not take the end for a crash, and closes all
     * components.
     */
    @Override
    public void close() {
        components.close();
    }
}
