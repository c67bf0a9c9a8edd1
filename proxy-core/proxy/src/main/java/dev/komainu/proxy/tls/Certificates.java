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
 * The certificates in force, loaded again when their files change: the files are checked every
 * {@value #CHECK_SECONDS} seconds and on request ({@link #check}). New connections use the
 * certificates loaded last, old ones keep theirs. Files that cannot be used change nothing; this is
 * logged once for each reason, and counted. Certificate and key are seldom replaced in the same
 * instant, so a fault is logged only when the next check finds it again.
 *
 * <p>Sessions end with the certificate under which they began: a client that returns after a reload
 * makes a full handshake.
 */
public final class Certificates implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Certificates.class);
    private static final int CHECK_SECONDS = 2;
    private static final int MAX_HELLO = 64 * 1024;

    /** The time in which a key encrypts tickets; for the same time after it only decrypts them. */
    static final int TICKET_SECONDS = 12 * 3600;

    private final TlsEngine engine;
    private volatile ClientTlsSettings settings;
    private volatile List<String> protocols;
    private final LongAdder reloads = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("komainu-certificates").daemon().unstarted(task));
    private volatile SniCertificates names;
    private volatile List<TlsFigures.Certificate> figures;
    /** Guarded by this. */
    private List<TicketKeys> tickets;
    /** Guarded by this. */
    private long ticketsNanos = System.nanoTime();
    /** Guarded by this. */
    private List<String> stamps;
    /** Guarded by this. */
    private String fault = "";
    /** Guarded by this. */
    private String logged = "";

    private Certificates(ClientTlsSettings settings, List<String> protocols) throws IOException {
        this.settings = settings;
        this.protocols = List.copyOf(protocols);
        this.engine = settings.engine().resolved();
        this.stamps = stamps(settings.certificates());
        try {
            Loaded loaded = load(settings, protocols);
            this.names = loaded.names();
            this.figures = loaded.figures();
            this.tickets = loaded.tickets();
        } catch (IdentityFault e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Reads the certificates and starts to watch their files.
     *
     * @param protocols the protocols for ALPN (RFC 7301), best first
     * @throws IOException with the file that cannot be used
     */
    @SuppressWarnings("FutureReturnValueIgnored") // check reports its faults
    public static Certificates open(ClientTlsSettings settings, List<String> protocols)
            throws IOException {
        Certificates certificates = new Certificates(settings, protocols);
        if (settings.engine() == TlsEngine.AUTO && certificates.engine == TlsEngine.JDK) {
            LOG.info("TLS uses Java's engine: {}", TlsEngine.whyNotNative());
        }
        certificates.clock.scheduleWithFixedDelay(
                certificates::check, CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
        return certificates;
    }

    /** Loads files that have changed since the last check. Any thread. */
    public synchronized void check() {
        if (System.nanoTime() - ticketsNanos >= TICKET_SECONDS * 1_000_000_000L) {
            renewTickets();
        }
        List<String> now = stamps(settings.certificates());
        if (now.equals(stamps) && fault.isEmpty()) {
            return;
        }
        stamps = now;
        try {
            apply(load(settings, protocols));
            reloads.increment();
            fault = "";
            logged = "";
            LOG.info("The certificates were loaded again");
        } catch (IdentityFault e) {
            String reason = String.valueOf(e.getMessage());
            if (reason.equals(fault) && !reason.equals(logged)) {
                logged = reason;
                refused.increment();
                LOG.error("The certificates in use stay in force: {}", reason);
            }
            fault = reason;
        }
    }

    /**
     * Renews the ticket keys. Tickets from before the previous renewal become invalid. Java's
     * engine renews its own keys.
     */
    public synchronized void renewTickets() {
        ticketsNanos = System.nanoTime();
        tickets.forEach(TicketKeys::renew);
    }

    /**
     * Prepares other files, versions or protocols: new connections use them, old ones keep theirs.
     * Any thread.
     *
     * @return puts them in force; any thread
     * @throws IOException with the file that cannot be used; nothing has changed then
     */
    public Runnable prepare(ClientTlsSettings next, List<String> nextProtocols) throws IOException {
        List<String> now = stamps(next.certificates());
        Loaded loaded;
        try {
            loaded = load(next, nextProtocols);
        } catch (IdentityFault e) {
            throw new IOException(e.getMessage(), e);
        }
        return () -> activate(next, nextProtocols, now, loaded);
    }

    private synchronized void activate(
            ClientTlsSettings next, List<String> nextProtocols, List<String> now, Loaded loaded) {
        settings = next;
        protocols = List.copyOf(nextProtocols);
        stamps = now;
        apply(loaded);
        reloads.increment();
        fault = "";
        logged = "";
    }

    /** The contexts made from the files that were read. */
    private record Loaded(
            SniCertificates names,
            List<TlsFigures.Certificate> figures,
            List<TicketKeys> tickets) {}

    private void apply(Loaded loaded) {
        figures = loaded.figures();
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
        for (CertificateFiles certificate : files) {
            try {
                ServerIdentity identity =
                        ServerIdentity.read(certificate, System.currentTimeMillis());
                identities.add(identity);
                contexts.add(TlsProvider.context(identity, engine, settings.versions(), protocols));
                String file = certificate.certificate().toString();
                named.add(new TlsFigures.Certificate(
                        identity.names().isEmpty() ? file : identity.names().getFirst(),
                        file,
                        identity.chain().getFirst().getNotAfter().toInstant().toEpochMilli()));
            } catch (IdentityFault e) {
                problems.addAll(e.problems());
            } catch (SSLException e) {
                problems.add("tls.certificates: " + certificate.certificate()
                        + " (expected: one the TLS engine can use; " + e.getMessage() + ")");
            }
        }
        if (!problems.isEmpty()) {
            throw new IdentityFault(problems);
        }
        for (CertificateFiles certificate : files) {
            if (ServerIdentity.isOpenToOthers(certificate.key())) {
                LOG.warn(
                        "tls.certificates: {} can be read by other users (expected: by its owner only, mode 600)",
                        certificate.key());
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
        for (CertificateFiles certificate : files) {
            all.add(stamp(certificate.certificate()));
            all.add(stamp(certificate.key()));
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

    /** Adds the first handlers of a new connection's pipeline. On its event loop. */
    public void begin(ChannelPipeline pipeline, ByteBufAllocator allocator) {
        if (engine == TlsEngine.NATIVE) {
            pipeline.addLast(new CloseNotifyDelay());
        }
        SniCertificates now = names;
        pipeline.addLast(
                now.isOne() ? withoutTimeout(now.first(), allocator) : new SniSelector(now::of));
    }

    /** Returns a handler without a timeout: {@link TlsHandshakeHandler} limits the handshake. */
    private static SslHandler withoutTimeout(SslContext context, ByteBufAllocator allocator) {
        SslHandler handler = context.newHandler(allocator);
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    /** The handler for several certificates: the client's first message names the host. */
    private static final class SniSelector extends SniHandler {
        SniSelector(Mapping<String, SslContext> names) {
            super(names, MAX_HELLO, 0);
        }

        @Override
        protected SslHandler newSslHandler(SslContext context, ByteBufAllocator allocator) {
            return withoutTimeout(context, allocator);
        }
    }

    public ClientTlsSettings settings() {
        return settings;
    }

    /** Returns how many times changed files were loaded since start. */
    public long reloads() {
        return reloads.sum();
    }

    /**
     * Returns the number of changed files that could not be used since start, once for each reason.
     */
    public long refused() {
        return refused.sum();
    }

    /** Returns the certificates in force and the engine. Any thread. */
    public TlsFigures figures() {
        return new TlsFigures(engine.text(), figures, reloads(), refused());
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
