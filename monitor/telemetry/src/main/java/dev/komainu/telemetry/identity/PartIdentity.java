package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The identity of this part: read from {@code DATA/identity}, or enrolled with a code, and renewed
 * as long as the process runs. Any thread.
 *
 * <pre>
 * code   DATA/identity                                       effect
 * no     nothing                                             no identity: the part reports with a token
 * no     an identity                                         it is used
 * no     a damaged one                                       the start fails
 * yes    an identity of the code's central service           it is used, the code is not
 * yes    one of another central service or source, one that  the part enrols
 *        has expired, a damaged one, nothing
 * </pre>
 *
 * <p>The first attempt to enrol is made before {@link #open} returns. When the central service
 * cannot be reached, further attempts follow after growing waits; until then calls with this
 * identity fail, and records wait. When the process dies before the identity is on the disk, its
 * next start with the same code continues the enrolment with the same key.
 */
public final class PartIdentity implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PartIdentity.class);
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private final IdentityFiles files;
    private final Clock clock;
    private final FileChannel lock;
    private final RevokedParts revoked;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private @Nullable Thread thread;

    // Guarded by this.
    private @Nullable Identity held;
    private @Nullable EnrolmentException refused;
    private @Nullable String trouble;
    private boolean closed;

    private PartIdentity(IdentityFiles files, Clock clock, FileChannel lock) throws IOException {
        this.revoked = new RevokedParts(files);
        this.files = files;
        this.clock = clock;
        this.lock = lock;
    }

    /**
     * Reports whether a part has an identity, whole or damaged.
     *
     * @param data the part's own directory
     */
    public static boolean exists(Path data) {
        return new IdentityFiles(data).exists();
    }

    /**
     * Returns the address of the central service to which a part reports when no setting names one;
     * null when it has neither an identity nor a code.
     *
     * @param data the part's own directory
     * @throws IOException when the identity is damaged
     */
    public static @Nullable URI central(Path data, @Nullable EnrolmentCode code)
            throws IOException {
        IdentityFiles files = new IdentityFiles(data);
        if (!files.exists()) {
            return code == null ? null : code.central();
        }
        if (code == null) {
            return files.facts().central();
        }
        try {
            Identity known = files.read();
            return known.isOf(code) ? known.facts().central() : code.central();
        } catch (IOException e) {
            return code.central();
        }
    }

    /**
     * Opens the identity at a central service with one address, as {@link #open(Path,
     * CentralAddresses, PartNames, EnrolmentCode)}.
     */
    public static @Nullable PartIdentity open(
            Path data, URI central, PartNames names, @Nullable EnrolmentCode code)
            throws IOException {
        return open(data, CentralAddresses.of(central), names, code);
    }

    /**
     * Opens the identity, and enrols the part if it needs one.
     *
     * @param data the part's own directory
     * @param central addresses of the central service
     * @param names names in which the part reports
     * @param code absent: only an existing identity is used
     * @return null when there is neither an identity nor a code
     * @throws EnrolmentException when the code is refused
     * @throws IOException when the identity is damaged, or another process uses it
     */
    public static @Nullable PartIdentity open(
            Path data, CentralAddresses central, PartNames names, @Nullable EnrolmentCode code)
            throws IOException {
        return open(
                new IdentityFiles(data),
                central,
                names,
                code,
                ReportableAddresses::ofThisHost,
                Clock.systemUTC(),
                Thread::sleep);
    }

    static @Nullable PartIdentity open(
            IdentityFiles files,
            CentralAddresses central,
            PartNames names,
            @Nullable EnrolmentCode code,
            Supplier<List<String>> addresses,
            Clock clock,
            IdentityWork.Pauses pauses)
            throws IOException {
        if (code == null && !files.exists()) {
            return null;
        }
        if (!central.areSecure()) {
            throw new IOException("central.url: " + central
                    + " (expected: https://HOST:PORT, because this part has an identity or a code;"
                    + " to report with a token again, remove " + files.directory() + ")");
        }
        FileChannel lock = files.lock();
        try {
            PartIdentity created = new PartIdentity(files, clock, lock);
            CentralRoute route = new CentralRoute(central, names.source());
            IdentityWork work = new IdentityWork(created, files, central, route, clock, pauses);
            Identity known = code == null ? files.read() : created.usable(code, names);
            if (known != null) {
                created.use(known, names);
            } else if (code != null) {
                work.enrol(new Enrolment(route, code, files.keyFor(code), names, addresses, clock));
            }
            created.thread =
                    Thread.ofPlatform().name("komainu-identity").daemon().start(work);
            return created;
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** Returns the identity on the disk if the code is not needed. */
    private @Nullable Identity usable(EnrolmentCode code, PartNames names) {
        if (!files.exists()) {
            return null;
        }
        try {
            Identity known = files.read();
            String why = known.isOf(code)
                    ? known.facts().names().source().equals(names.source())
                            ? ClockHint.outside(
                                    "its certificate", Instant.MIN, known.ends(), clock.instant())
                            : "it is of " + known.facts().names().source()
                    : "it is of another central service (" + known.facts().central() + ")";
            if (why == null) {
                return known;
            }
            LOG.warn("The identity in {} is replaced: {}", files.directory(), why);
        } catch (IOException e) {
            LOG.warn("The identity is replaced: {}", e.getMessage());
        }
        return null;
    }

    private synchronized void use(Identity known, PartNames names) {
        held = known;
        LOG.info("Identity: {}", described(known));
        if (!known.facts().names().source().equals(names.source())) {
            LOG.error(
                    "The identity in {} is of {}, but this part reports as {}: the central service"
                            + " will refuse its records (expected: the former name, or a new code"
                            + " and no such directory)",
                    files.directory(),
                    known.facts().names().source(),
                    names.source());
        }
        String hint = clockHint(known, clock.instant());
        if (hint != null) {
            LOG.warn("{}", hint);
        }
    }

    static String described(Identity identity) {
        IdentityFacts facts = identity.facts();
        return facts.names().source()
                + (facts.names().node() == null ? "" : ", host " + facts.names().node())
                + (facts.networks().isEmpty()
                        ? ", no networks"
                        : ", networks " + String.join(" ", facts.networks()))
                + ", certificate until " + ClockHint.text(identity.ends())
                + ", central service " + facts.central()
                + (facts.leftOut().isEmpty()
                        ? ""
                        : "; left out, because other parts have them: "
                                + String.join(" ", facts.leftOut()));
    }

    /** Ends the enrolment: its code was refused. */
    synchronized void refuse(EnrolmentException e) {
        refused = e;
        trouble = e.getMessage();
        notifyAll();
        LOG.error("{}", e.getMessage());
    }

    /**
     * Waits until the part is enrolled.
     *
     * @throws EnrolmentException when the code is refused
     */
    public synchronized void awaitEnrolled() throws EnrolmentException, InterruptedException {
        while (held == null && refused == null && !closed) {
            wait();
        }
        if (refused != null) {
            throw refused;
        }
    }

    /** Uses a new certificate from now on. */
    void replace(IssuedIdentity issued) {
        synchronized (this) {
            held = issued.identity();
            trouble = issued.clocks();
            notifyAll();
        }
        if (issued.clocks() != null) {
            LOG.warn("{}", issued.clocks());
        }
        listeners.forEach(Runnable::run);
    }

    synchronized void setTrouble(String reason) {
        trouble = reason;
    }

    /** Returns the identity; null: the part is not enrolled yet. */
    synchronized @Nullable Identity current() {
        return held;
    }

    /**
     * Returns the identity.
     *
     * @throws IOException when the part is not enrolled yet
     */
    synchronized Identity enrolled() throws IOException {
        if (held == null) {
            throw new IOException(trouble == null ? "not enrolled yet" : trouble);
        }
        return held;
    }

    /**
     * Returns what is wrong with the identity: it cannot be enrolled or renewed now, or the clocks
     * differ; null: nothing.
     */
    public synchronized @Nullable String trouble() {
        return trouble;
    }

    /** Returns the text about an expired certificate with both times; null: it is valid. */
    public synchronized @Nullable String clockHint() {
        return held == null ? null : clockHint(held, clock.instant());
    }

    static @Nullable String clockHint(Identity identity, Instant now) {
        return ClockHint.outside(
                "The certificate of this part",
                identity.certificate().getNotBefore().toInstant(),
                identity.ends(),
                now);
    }

    /** Reads a response that refuses the certificate; null: it refuses something else. */
    public @Nullable CertificateRefusal refusal(String body) {
        return CertificateRefusal.of(body, files.directory());
    }

    /** Returns the source that the certificate names; null: the part is not enrolled yet. */
    public synchronized @Nullable String source() {
        return held == null ? null : held.facts().names().source();
    }

    /**
     * Returns the key and certificate for a server of this part. After a renewal there are others.
     *
     * @throws IOException when the part is not enrolled yet
     */
    public X509ExtendedKeyManager keyManager() throws IOException {
        return new IdentityKeyManager(enrolled());
    }

    /**
     * Returns the key and certificate for connections with other parts, for as long as this object
     * is open: each handshake shows the newest certificate. There is none before the part is
     * enrolled.
     */
    public X509ExtendedKeyManager renewingKeyManager() {
        return new RenewingKeyManager(this);
    }

    /**
     * Notes parts that have lost their identity. They stay noted.
     *
     * @param parts their ids
     */
    public void noteRevoked(Collection<String> parts) {
        if (revoked.add(parts)) {
            LOG.warn("The central service has revoked parts: {}", String.join(" ", parts));
        }
    }

    /** Reports whether a part has lost its identity, as far as the central service has told. */
    public boolean isRevoked(String part) {
        return revoked.contains(part);
    }

    /**
     * Returns the trust in certificates of this installation: of the central service and of other
     * parts. After a renewal it may be another one.
     *
     * @throws IOException when the part is not enrolled yet
     */
    public X509ExtendedTrustManager trustManager() throws IOException {
        return new AuthorityTrust(enrolled().authorities(), false, clock);
    }

    /**
     * Returns the TLS of a server of this part, with {@link #keyManager} and {@link #trustManager}.
     *
     * @throws IOException when the part is not enrolled yet
     */
    public SSLContext serverContext() throws IOException {
        return TlsContext.of(keyManager(), trustManager());
    }

    /**
     * Adds a listener that is called after each new certificate.
     *
     * @param listener called on the thread of the identity; must not block
     */
    public void onRenewed(Runnable listener) {
        listeners.add(listener);
    }

    /**
     * Waits until the thread writes no more: another process, or the owner of the directory, may
     * use the files next.
     */
    private static void awaitEnd(Thread renewing) {
        try {
            renewing.join(END_LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the renewals, and lets another process use the identity. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        Thread running = thread;
        if (running != null) {
            running.interrupt();
            awaitEnd(running);
        }
        try {
            lock.close();
        } catch (IOException e) {
            // The lock ends with the process at the latest.
        }
    }
}
