package dev.komainu.organizer;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.front.FrontSettings;
import dev.komainu.organizer.front.ProxyEmbedding;
import dev.komainu.organizer.front.RoutingContext;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.member.Credentials;
import dev.komainu.organizer.member.Grants;
import dev.komainu.organizer.member.Membership;
import dev.komainu.organizer.page.PageFile;
import dev.komainu.organizer.peer.PeerConnections;
import dev.komainu.organizer.peer.PeerConnections.Lifetime;
import dev.komainu.organizer.service.ServiceTunnels;
import dev.komainu.telemetry.identity.PartIdentity;
import io.netty.util.concurrent.MultithreadEventExecutorGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The front, the lines to the peers, and the file of learnt pages. */
final class FrontComponent implements Component<OrganizerSettings> {

    private static final Logger LOG = LoggerFactory.getLogger(FrontComponent.class);

    /** A line has at most four connections, one or more for each loop. */
    private static final int MAX_LOOPS = 4;

    private final OrganizerSettings settings;
    private final IdentityComponent identity;
    private final Grants grants;
    private final ServersComponent servers;
    private final MembershipComponent member;
    private final @Nullable ProxyEmbedding embedding;
    private @Nullable Front front;
    /**
     * Null: nothing is stored. Used by the clock's thread, and after its end by the closing thread.
     */
    private @Nullable PageFile pages;

    /**
     * Creates the component.
     *
     * @param embedding null: the organizer runs as its own process
     */
    FrontComponent(
            OrganizerSettings settings,
            IdentityComponent identity,
            Grants grants,
            ServersComponent servers,
            MembershipComponent member,
            @Nullable ProxyEmbedding embedding) {
        this.settings = settings;
        this.identity = identity;
        this.grants = grants;
        this.servers = servers;
        this.member = member;
        this.embedding = embedding;
    }

    Front get() {
        return Objects.requireNonNull(front);
    }

    @Override
    public void open() throws IOException {
        Membership membership = member.get();
        Front opened = new Front(
                frontSettings(),
                new RoutingContext(
                        settings.membership().member(),
                        settings.membership().cluster(),
                        membership::table,
                        membership.forecasts(),
                        servers.all()::of),
                lineTls(),
                ServiceTunnels.of(settings.membership().member(), servers.all()::addresses),
                embedding,
                ProxyClock.SYSTEM,
                GrantedPurges.of(
                        grants, settings.membership().cluster(), System::currentTimeMillis));
        front = opened;
        PartIdentity renewed = identity.get();
        if (renewed != null && identity.credentials().peers() != null) {
            renewed.onRenewed(opened::renewLines);
        }
        if (settings.data() != null) {
            PageFile file = new PageFile(settings.data().resolve("pages"), opened.pageCounts());
            opened.loadPages(file);
            pages = file;
        }
        // An organizer with its own process prints this in its startup message.
        if (embedding != null
                && settings.lines().carrier() != LineCarrier.TCP
                && !settings.plainLines()
                && !opened.lineWithoutQuic().isEmpty()) {
            LOG.warn("Peers reach this line over TCP only: {}", opened.lineWithoutQuic());
        }
    }

    private FrontSettings frontSettings() {
        return new FrontSettings(
                settings.front(),
                new InetSocketAddress(settings.line().host(), settings.line().port()),
                embedding != null && embedding.loops() instanceof MultithreadEventExecutorGroup all
                        ? all.executorCount()
                        : Math.min(MAX_LOOPS, Runtime.getRuntime().availableProcessors()),
                settings.times().idle(),
                settings.times().head(),
                settings.lines(),
                settings.pages(),
                settings.access());
    }

    /**
     * Returns the TLS of the lines: by certificates with the members' names, by the common secret,
     * or by the members' identities.
     */
    private @Nullable LineTls lineTls() throws IOException {
        OrganizerSettings.CertificateFiles files = settings.certificates();
        if (settings.plainLines()) {
            return null;
        }
        if (files != null) {
            return new LineTls(files.certificate(), files.key(), files.authorities());
        }
        Credentials credentials = identity.credentials();
        PeerConnections peers = credentials.peers();
        return new LineTls(
                credentials.tls(),
                credentials.keys(),
                credentials.trust(),
                peers == null
                        ? null
                        : (session, isOpen, close) ->
                                peers.admit(session, Lifetime.OF_CERTIFICATE, isOpen, close));
    }

    /** Saves the learnt pages to their file. */
    void savePages() {
        try {
            if (pages != null) {
                get().savePages(pages);
            }
        } catch (RuntimeException e) {
            // A scheduled task that throws is not run again.
            LOG.error("The learnt pages were not saved", e);
        }
    }

    @Override
    public void apply(SettingsChange<OrganizerSettings> change) {
        OrganizerSettings next = change.next();
        get().reload(
                        next.times().idle(),
                        next.times().head(),
                        next.pages(),
                        next.access().purgers());
    }

    @Override
    public void close() {
        get().close();
        savePages();
    }
}
