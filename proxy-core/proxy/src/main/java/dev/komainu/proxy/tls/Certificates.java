package dev.komainu.proxy.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.Mapping;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates now in force, taken again when their files change: looked at every
 * {@value #LOOK_SECONDS} seconds and by order ({@link #look}). New connections get what was taken
 * last, old ones keep theirs. Files that cannot be used change nothing; that is told once for each
 * reason, and counted. Certificate and key are seldom replaced in the same instant, so a mistake is
 * told only when it is still there at the next look.
 *
 * <p>Sessions end with the certificate they began under: whoever comes back after it was taken
 * again makes a full handshake.
 */
public final class Certificates implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Certificates.class);
    private static final int LOOK_SECONDS = 2;
    private static final int MAX_HELLO = 64 * 1024;

    /** A key seals tickets for so long, then opens them for as long again. */
    static final int TICKET_SECONDS = 12 * 3600;

    private final TlsEngine engine;
    private volatile ClientTlsSettings settings;
    private volatile List<String> protocols;
    private final LongAdder taken = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-certificates").daemon().unstarted(task));
    private volatile SniCertificates names;
    private volatile List<TlsFigures.Certificate> shown;
    /** Guarded by this. */
    private List<TicketKeys> tickets;
    /** Guarded by this. */
    private long ticketsNanos = System.nanoTime();
    /** Guarded by this. */
    private List<String> stamps;
    /** Guarded by this. */
    private String fault = "";
    /** Guarded by this. */
    private String told = "";

    private Certificates(ClientTlsSettings settings, List<String> protocols) throws IOException {
        this.settings = settings;
        this.protocols = List.copyOf(protocols);
        this.engine = settings.engine().resolved();
        this.stamps = stamps(settings.certificates());
        try {
            Loaded loaded = load(settings, protocols);
            this.names = loaded.names();
            this.shown = loaded.shown();
            this.tickets = loaded.tickets();
        } catch (IdentityFault e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Reads the certificates and begins to watch their files.
     *
     * @param protocols for ALPN (RFC 7301), best first
     * @throws IOException naming a file that cannot be used
     */
    public static Certificates open(ClientTlsSettings settings, List<String> protocols)
            throws IOException {
        Certificates certificates = new Certificates(settings, protocols);
        if (settings.engine() == TlsEngine.AUTO && certificates.engine == TlsEngine.JDK) {
            LOG.info("TLS is spoken by Java's engine: {}", TlsEngine.whyNotNative());
        }
        certificates.looking.scheduleWithFixedDelay(
                certificates::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
        return certificates;
    }

    /** Takes what changed since the last look. Any thread. */
    public synchronized void look() {
        if (System.nanoTime() - ticketsNanos >= TICKET_SECONDS * 1_000_000_000L) {
            renewTickets();
        }
        List<String> now = stamps(settings.certificates());
        if (now.equals(stamps) && fault.isEmpty()) {
            return;
        }
        stamps = now;
        try {
            use(load(settings, protocols));
            taken.increment();
            fault = "";
            told = "";
            LOG.info("The certificates were taken again");
        } catch (IdentityFault e) {
            String why = String.valueOf(e.getMessage());
            if (why.equals(fault) && !why.equals(told)) {
                told = why;
                refused.increment();
                LOG.error("The certificates in use are kept: {}", why);
            }
            fault = why;
        }
    }

    /**
     * What was sealed before the last renewal is a stranger's from now on. Java's engine renews by
     * itself.
     */
    public synchronized void renewTickets() {
        ticketsNanos = System.nanoTime();
        tickets.forEach(TicketKeys::renew);
    }

    /**
     * Makes other files, versions or protocols ready: new connections get them, old ones keep
     * theirs. Any thread.
     *
     * @return puts them in force; any thread
     * @throws IOException naming a file that cannot be used; nothing has changed then
     */
    public Runnable prepare(ClientTlsSettings next, List<String> nextProtocols) throws IOException {
        List<String> now = stamps(next.certificates());
        Loaded loaded;
        try {
            loaded = load(next, nextProtocols);
        } catch (IdentityFault e) {
            throw new IOException(e.getMessage(), e);
        }
        return () -> take(next, nextProtocols, now, loaded);
    }

    private synchronized void take(
            ClientTlsSettings next, List<String> nextProtocols, List<String> now, Loaded loaded) {
        settings = next;
        protocols = List.copyOf(nextProtocols);
        stamps = now;
        use(loaded);
        taken.increment();
        fault = "";
        told = "";
    }

    /** Contexts made of the files as they were read. */
    private record Loaded(
            SniCertificates names, List<TlsFigures.Certificate> shown, List<TicketKeys> tickets) {}

    private void use(Loaded loaded) {
        shown = loaded.shown();
        ticketsNanos = System.nanoTime();
        tickets = loaded.tickets();
        names = loaded.names();
    }

    private Loaded load(ClientTlsSettings settings, List<String> protocols) throws IdentityFault {
        List<CertificateFiles> files = settings.certificates();
        List<ServerIdentity> identities = new ArrayList<>();
        List<SslContext> contexts = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        List<TlsFigures.Certificate> named = new ArrayList<>();
        for (CertificateFiles each : files) {
            try {
                ServerIdentity identity = ServerIdentity.read(each, System.currentTimeMillis());
                identities.add(identity);
                contexts.add(TlsProvider.context(identity, engine, settings.versions(), protocols));
                String file = each.certificate().toString();
                named.add(new TlsFigures.Certificate(
                        identity.names().isEmpty() ? file : identity.names().getFirst(),
                        file,
                        identity.chain().getFirst().getNotAfter().getTime()));
            } catch (IdentityFault e) {
                problems.addAll(e.problems());
            } catch (SSLException e) {
                problems.add("tls.certificates: " + each.certificate()
                        + " (expected: one the TLS engine can use; " + e.getMessage() + ")");
            }
        }
        if (!problems.isEmpty()) {
            throw new IdentityFault(problems);
        }
        for (CertificateFiles each : files) {
            if (ServerIdentity.isOpenToOthers(each.key())) {
                LOG.warn(
                        "tls.certificates: {} can be read by everybody (expected: its owner only, mode 600)",
                        each.key());
            }
        }
        List<TicketKeys> keys = contexts.stream()
                .map(SslContext::sessionContext)
                .filter(OpenSslServerSessionContext.class::isInstance)
                .map(sessions -> new TicketKeys((OpenSslServerSessionContext) sessions))
                .toList();
        return new Loaded(new SniCertificates(identities, contexts), List.copyOf(named), keys);
    }

    private static List<String> stamps(List<CertificateFiles> files) {
        List<String> all = new ArrayList<>();
        for (CertificateFiles each : files) {
            all.add(stamp(each.certificate()));
            all.add(stamp(each.key()));
        }
        return all;
    }

    private static String stamp(Path file) {
        try {
            BasicFileAttributes seen = Files.readAttributes(file, BasicFileAttributes.class);
            return seen.lastModifiedTime() + " " + seen.size() + " " + seen.fileKey();
        } catch (IOException missing) {
            return "missing";
        }
    }

    /** Adds what a new connection's pipeline begins with. On its event loop. */
    public void begin(ChannelPipeline pipeline, ByteBufAllocator allocator) {
        if (engine == TlsEngine.NATIVE) {
            pipeline.addLast(new CloseNotifyDelay());
        }
        SniCertificates now = names;
        pipeline.addLast(now.isOne() ? timeless(now.first(), allocator) : new ByName(now::of));
    }

    /** Handshakes are timed together, in {@link TlsHandshakeHandler}. */
    private static SslHandler timeless(SslContext context, ByteBufAllocator allocator) {
        SslHandler handler = context.newHandler(allocator);
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    /** Several certificates: the client's first message names the host it wants. */
    private static final class ByName extends SniHandler {
        ByName(Mapping<String, SslContext> names) {
            super(names, MAX_HELLO, 0);
        }

        @Override
        protected SslHandler newSslHandler(SslContext context, ByteBufAllocator allocator) {
            return timeless(context, allocator);
        }
    }

    public ClientTlsSettings settings() {
        return settings;
    }

    /** Since start: changed files that were taken. */
    public long taken() {
        return taken.sum();
    }

    /** Since start: changed files that could not be used, once for each reason. */
    public long refused() {
        return refused.sum();
    }

    /** Which certificates are in force, by which engine. Any thread. */
    public TlsFigures figures() {
        return new TlsFigures(engine.text(), shown, taken(), refused());
    }

    @Override
    public void close() {
        looking.shutdownNow();
    }
}
