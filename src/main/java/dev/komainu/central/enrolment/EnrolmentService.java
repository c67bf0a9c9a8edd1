package dev.komainu.central.enrolment;

import dev.komainu.central.access.ApiToken;
import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.AuditOrigin;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.ClientNetwork;
import dev.komainu.central.access.FailureCounts;
import dev.komainu.central.access.ReportingBounds;
import dev.komainu.central.enrolment.EnrolmentRefusedException.Reason;
import dev.komainu.central.identity.Authority;
import dev.komainu.central.identity.ServerTls;
import dev.komainu.settings.Cidr;
import dev.komainu.telemetry.identity.CertificateNames;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/**
 * The enrolment of parts: takes a code and a public key, returns a certificate. Any thread; one
 * enrolment or renewal at a time.
 */
@Component
public class EnrolmentService {

    private static final Logger LOG = LoggerFactory.getLogger(EnrolmentService.class);

    private static final int MOST_COUNTS = 10_000;
    /** Refused secrets of one network until the next must wait. */
    private static final int FREE_FAILURES = 10;

    private final EnrolmentCodes codes;
    private final Parts parts;
    private final ApiTokens tokens;
    private final @Nullable Authority authority;
    private final @Nullable ServerTls tls;
    private final Audit audit;
    private final EnrolmentSettings settings;
    private final MeterRegistry meters;
    private final Clock clock;
    /** Guarded by {@code this}. */
    private final FailureCounts failures = new FailureCounts(MOST_COUNTS);

    public EnrolmentService(
            EnrolmentCodes codes,
            Parts parts,
            ApiTokens tokens,
            ObjectProvider<Authority> authority,
            ObjectProvider<ServerTls> tls,
            Audit audit,
            EnrolmentSettings settings,
            MeterRegistry meters,
            Clock clock) {
        this.meters = meters;
        this.codes = codes;
        this.parts = parts;
        this.tokens = tokens;
        this.authority = authority.getIfAvailable();
        this.tls = tls.getIfAvailable();
        this.audit = audit;
        this.settings = settings;
        this.clock = clock;
    }

    /**
     * The application of a part.
     *
     * @param node name of its host; absent: it names none
     * @param addresses addresses of its host
     * @param publicKey base64 of X.509 SubjectPublicKeyInfo
     * @param proof base64 of its signature by the private half
     */
    public record Application(
            String secret,
            PartKind kind,
            String source,
            @Nullable String node,
            List<InetAddress> addresses,
            String publicKey,
            String proof) {

        public Application {
            addresses = List.copyOf(addresses);
        }

        String signed() {
            return "komainu-enrolment\n" + secret + "\n" + source + "\n" + publicKey;
        }
    }

    /**
     * The result of an enrolment or a renewal.
     *
     * @param leftOut addresses that another part has
     * @param certificate its chain in PEM, its own first
     * @param authorities certificates by which it trusts this service, in PEM
     * @param publicAuthorities whether the authorities of the Java runtime count, too
     * @param time this service's clock
     */
    public record Issued(
            Part part,
            List<InetAddress> leftOut,
            String certificate,
            String authorities,
            boolean publicAuthorities,
            Instant time) {}

    /**
     * Checks that parts can enrol.
     *
     * @throws EnrolmentRefusedException {@link Reason#TLS_REQUIRED}
     */
    public void checkPossible() throws EnrolmentRefusedException {
        present(authority);
        present(tls);
    }

    /**
     * Returns the text of a code.
     *
     * @param address address of this service as parts reach it: {@code HOST:PORT}
     * @throws EnrolmentRefusedException {@link Reason#TLS_REQUIRED}
     */
    public String text(EnrolmentCodes.Created created, String address)
            throws EnrolmentRefusedException {
        return "https://" + address + "#" + created.secret() + "."
                + present(tls).fingerprint();
    }

    /**
     * Enrols a part. An application with the same code and key, within the life of the code, is one
     * whose response was lost: it gets a certificate of the same part, and counts no second use. A
     * refusal is counted and logged; guesses are logged until they must wait.
     *
     * @param origin of the request
     */
    public synchronized Issued enrol(Application application, AuditOrigin origin)
            throws EnrolmentRefusedException {
        try {
            return admit(application, origin);
        } catch (EnrolmentRefusedException e) {
            meters.counter("komainu.enrolments.refused", "reason", e.reason().type())
                    .increment();
            if (e.reason() != Reason.TOO_MANY) {
                LOG.warn(
                        "Enrolment of {} from {} refused: {} ({})",
                        application.source(),
                        origin.address(),
                        e.getMessage(),
                        e.reason().type());
            }
            throw e;
        }
    }

    private Issued admit(Application application, AuditOrigin origin)
            throws EnrolmentRefusedException {
        present(authority);
        StoredCode code = code(application.secret(), origin);
        ProvenKey key = ProvenKey.read(application.publicKey());
        key.check(application.signed(), application.proof());
        EnrolmentRules.checkOpen(code, clock.instant());
        EnrolmentRules.checkAllowed(application, code);
        List<Part> others = parts.valid();
        Optional<Part> same = others.stream()
                .filter(part -> part.bounds().source().equals(application.source()))
                .findFirst();
        List<ApiToken> bound = boundTokens();
        List<InetAddress> leftOut = new ArrayList<>();
        ReportingBounds bounds = EnrolmentRules.bounds(application, code, others, bound, leftOut);
        Optional<Part> repeated = same.filter(
                part -> part.code().equals(code.id()) && parts.hasKey(part, key.hash()));
        if (repeated.isPresent()) {
            return reissue(repeated.get(), key, leftOut, origin);
        }
        EnrolmentRules.checkUnused(code);
        EnrolmentRules.checkFree(application, code, others, bound);
        if (!codes.use(code)) {
            throw new EnrolmentRefusedException(Reason.CODE_USED, "secret: used meanwhile");
        }
        return add(application, code, key, bounds, leftOut, same.orElse(null), origin);
    }

    private List<ApiToken> boundTokens() {
        Instant now = clock.instant();
        return tokens.list().stream()
                .filter(token -> token.expires().isAfter(now) && token.reportingBounds() != null)
                .toList();
    }

    /** Returns the code of a secret, and counts the failure when there is none. */
    private StoredCode code(String secret, AuditOrigin origin) throws EnrolmentRefusedException {
        Instant now = clock.instant();
        String network = ClientNetwork.of(origin.address());
        Duration wait = failures.remaining(network, FREE_FAILURES, now);
        if (wait.isPositive()) {
            throw new EnrolmentRefusedException(
                    Reason.TOO_MANY, "Try again in " + (wait.toSeconds() + 1) + " seconds", wait);
        }
        Optional<StoredCode> code = codes.find(secret);
        if (code.isEmpty()) {
            failures.add(network, now);
            throw new EnrolmentRefusedException(
                    Reason.CODE_UNKNOWN,
                    "secret: unknown or withdrawn (expected: that of a code of this service)");
        }
        failures.forget(network);
        return code.get();
    }

    private Issued add(
            Application application,
            StoredCode code,
            ProvenKey key,
            ReportingBounds bounds,
            List<InetAddress> leftOut,
            @Nullable Part replaced,
            AuditOrigin origin)
            throws EnrolmentRefusedException {
        String id = UUID.randomUUID().toString();
        Instant now = clock.instant();
        List<X509Certificate> chain = issue(key, id, application.kind(), bounds);
        Part part = new Part(
                id,
                application.kind(),
                bounds,
                code.id(),
                now,
                code.createdBy(),
                serial(chain.getFirst()),
                now,
                chain.getFirst().getNotAfter().toInstant(),
                null,
                null,
                null,
                null,
                null,
                null);
        if (replaced != null) {
            parts.revoke(replaced.id(), Part.REPLACED_BY + id);
        }
        parts.add(part, key.hash());
        audit.done(
                caller(part, origin),
                "part.enrol",
                part.bounds().source(),
                replaced == null ? null : "part " + replaced.id(),
                text(part) + ", with the code " + code.id() + " of " + code.createdBy());
        LOG.info("Enrolled from {}: {}", origin.address(), text(part));
        return issued(part, leftOut, chain);
    }

    /**
     * Renews the certificate of a part. What it may report stays as it was.
     *
     * @param shown the certificate with which the part sent its request
     * @param proof signature over {@code komainu-renewal}, the part's id and the key, in lines
     */
    public synchronized Issued renew(X509Certificate shown, String publicKey, String proof)
            throws EnrolmentRefusedException {
        present(authority);
        String id = CertificateNames.of(shown).map(CertificateNames::part).orElse("");
        Part part = parts.find(id)
                .orElseThrow(() -> new EnrolmentRefusedException(
                        Reason.OUTSIDE_CODE, "part: " + id + " (unknown)"));
        ProvenKey key = ProvenKey.read(publicKey);
        key.check("komainu-renewal\n" + part.id() + "\n" + publicKey, proof);
        List<X509Certificate> chain = issue(key, part.id(), part.kind(), part.bounds());
        store(part, key, chain, serial(shown));
        LOG.info(
                "Renewed until {}: {}",
                chain.getFirst().getNotAfter().toInstant(),
                part.bounds().source());
        return issued(parts.find(part.id()).orElse(part), List.of(), chain);
    }

    private Issued reissue(Part part, ProvenKey key, List<InetAddress> leftOut, AuditOrigin origin)
            throws EnrolmentRefusedException {
        List<X509Certificate> chain = issue(key, part.id(), part.kind(), part.bounds());
        store(part, key, chain, part.serial());
        LOG.info(
                "Enrolled from {} again, with the same code and key: {}",
                origin.address(),
                text(part));
        return issued(parts.find(part.id()).orElse(part), leftOut, chain);
    }

    private void store(Part part, ProvenKey key, List<X509Certificate> chain, String former) {
        parts.renewed(
                part.id(),
                key.hash(),
                serial(chain.getFirst()),
                clock.instant(),
                chain.getFirst().getNotAfter().toInstant(),
                former);
    }

    private List<X509Certificate> issue(
            ProvenKey key, String id, PartKind kind, ReportingBounds bounds)
            throws EnrolmentRefusedException {
        return present(authority)
                .issuePart(
                        key.key(),
                        new CertificateNames(
                                id,
                                kind.text(),
                                bounds.source(),
                                bounds.node(),
                                bounds.networks().stream().map(Cidr::toString).toList()),
                        settings.certificateLife());
    }

    private Issued issued(Part part, List<InetAddress> leftOut, List<X509Certificate> chain)
            throws EnrolmentRefusedException {
        ServerTls shown = present(tls);
        return new Issued(
                part,
                List.copyOf(leftOut),
                Authority.pem(chain),
                shown.authorities(),
                shown.isUsers(),
                clock.instant());
    }

    private static <T> T present(@Nullable T needed) throws EnrolmentRefusedException {
        if (needed == null) {
            throw new EnrolmentRefusedException(
                    Reason.TLS_REQUIRED,
                    "komainu.tls.mode: this address is in clear text (expected: komainu.listen with"
                            + " an address that other hosts reach, such as 0.0.0.0:7600)");
        }
        return needed;
    }

    static String serial(X509Certificate certificate) {
        return certificate.getSerialNumber().toString(16);
    }

    /** Returns the part as a caller without rights, for the audit log. */
    private static Caller caller(Part part, AuditOrigin origin) {
        return new Caller(
                part.caller(), Caller.Kind.PART, Set.of(), null, origin, null, part.bounds());
    }

    /** Returns kind and names of a part as text for log and audit. */
    public static String text(Part part) {
        ReportingBounds bounds = part.bounds();
        return part.kind().text() + " " + bounds.source()
                + (bounds.node() == null ? "" : " of " + bounds.node())
                + (bounds.networks().isEmpty() ? "" : " for " + bounds.networksText());
    }
}
