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
import dev.komainu.organizer.service.ServiceTunnels;
import io.netty.util.concurrent.MultithreadEventExecutorGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The front: requests in and out, the line to peers, and the file of what is learnt of pages. */
final class FrontComponent implements Component<OrganizerSettings> {

    private static final Logger LOG = LoggerFactory.getLogger(FrontComponent.class);

    /** A line has at most four connections, one or more for each loop. */
    private static final int MOST_LOOPS = 4;

    private final OrganizerSettings settings;
    private final Credentials credentials;
    private final Grants grants;
    private final ServersComponent servers;
    private final MembershipComponent member;
    private final @Nullable ProxyEmbedding inside;
    private @Nullable Front front;
    /**
     * Absent: nothing is kept. Of the clock's thread, and of the one that closes after the clock
     * has ended.
     */
    private @Nullable PageFile pages;

    /** @param inside absent: a program of its own */
    FrontComponent(
            OrganizerSettings settings,
            Credentials credentials,
            Grants grants,
            ServersComponent servers,
            MembershipComponent member,
            @Nullable ProxyEmbedding inside) {
        this.settings = settings;
        this.credentials = credentials;
        this.grants = grants;
        this.servers = servers;
        this.member = member;
        this.inside = inside;
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
                        membership.outlooks(),
                        servers.all()::of),
                lineTls(),
                ServiceTunnels.of(settings.membership().member(), servers.all()::addresses),
                inside,
                ProxyClock.SYSTEM,
                GrantedPurges.of(
                        grants, settings.membership().cluster(), System::currentTimeMillis));
        front = opened;
        if (settings.data() != null) {
            PageFile kept = new PageFile(settings.data().resolve("pages"), opened.pageCounts());
            opened.recallPages(kept);
            pages = kept;
        }
        // A program of its own says so in its greeting.
        if (inside != null
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
                inside != null && inside.loops() instanceof MultithreadEventExecutorGroup all
                        ? all.executorCount()
                        : Math.min(MOST_LOOPS, Runtime.getRuntime().availableProcessors()),
                settings.times().idle(),
                settings.times().head(),
                settings.lines(),
                settings.pages());
    }

    /**
     * As members are known to each other: by certificates whose names count, or by the one secret.
     */
    private @Nullable LineTls lineTls() throws IOException {
        OrganizerSettings.CertificateFiles files = settings.certificates();
        if (settings.plainLines()) {
            return null;
        }
        return files == null
                ? new LineTls(credentials.tls(), credentials.keys(), credentials.trust())
                : new LineTls(files.certificate(), files.key(), files.authorities());
    }

    /** Writes what is learnt of pages into its file. */
    void keepPages() {
        try {
            if (pages != null) {
                get().keepPages(pages);
            }
        } catch (RuntimeException e) {
            // A scheduled task that throws is never run again.
            LOG.error("What is learnt of pages was not kept", e);
        }
    }

    @Override
    public void apply(SettingsChange<OrganizerSettings> change) {
        OrganizerSettings next = change.next();
        get().ruleBy(next.times().idle(), next.times().head(), next.pages());
    }

    @Override
    public void close() {
        get().close();
        keepPages();
    }
}
