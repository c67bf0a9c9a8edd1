package dev.komainu.central.enrolment;

import dev.komainu.central.access.IdentityConcerns;
import dev.komainu.central.access.IdentityConcerns.Concern;
import dev.komainu.central.access.ReportingBounds;
import dev.komainu.central.identity.Authority;
import dev.komainu.telemetry.identity.CertificateNames;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The check of the certificates with which parts send their requests. The web server has verified
 * them against the authority before. Any thread.
 *
 * <p>A certificate that is newer than the table knows is of a part that was renewed or enrolled
 * after the copy was made from which this service was restored: its part is taken over.
 */
@Component
public class PartCertificates {

    private static final Logger LOG = LoggerFactory.getLogger(PartCertificates.class);

    /** Time for which the former certificate is accepted after the first use of the newest. */
    private static final Duration OVERLAP = Duration.ofMinutes(1);

    private static final Duration QUIET = Duration.ofHours(1);
    private static final int MOST_TOLD = 1_000;

    private static final String BY_CERTIFICATE = "its certificate";

    private final Parts parts;
    private final IdentityConcerns concerns;
    private final EnrolmentSettings settings;
    private final Clock clock;
    private final MeterRegistry meters;

    /** Times of the last messages by part; guarded by itself. */
    private final Map<String, Instant> told = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
            return size() > MOST_TOLD;
        }
    };

    public PartCertificates(
            Parts parts,
            IdentityConcerns concerns,
            EnrolmentSettings settings,
            Clock clock,
            MeterRegistry meters) {
        this.meters = meters;
        this.parts = parts;
        this.concerns = concerns;
        this.settings = settings;
        this.clock = clock;
    }

    /** The outcome of a check. */
    public sealed interface Outcome {
        record Known(Part part) implements Outcome {}

        /**
         * The part may not report with it.
         *
         * @param type type of the problem
         */
        record Refused(String type, String title, String detail) implements Outcome {}
    }

    /**
     * Checks a certificate; empty when it is not one of a part.
     *
     * @param address the part's address
     */
    public Optional<Outcome> check(X509Certificate certificate, @Nullable String address) {
        Optional<Outcome> outcome =
                CertificateNames.of(certificate).map(names -> check(certificate, names, address));
        outcome.ifPresent(each -> {
            if (each instanceof Outcome.Refused refused) {
                meters.counter("komainu.parts.refused", "reason", refused.type())
                        .increment();
                tell(refused, address);
            }
        });
        return outcome;
    }

    /** A refused part tries again each half minute, so each refusal is logged once an hour. */
    private void tell(Outcome.Refused refused, @Nullable String address) {
        Instant now = clock.instant();
        synchronized (told) {
            Instant last = told.get(refused.detail());
            if (last != null && !last.isAfter(now) && now.isBefore(last.plus(QUIET))) {
                return;
            }
            told.put(refused.detail(), now);
        }
        LOG.warn(
                "{} ({}), from {}: {}", refused.title(), refused.type(), address, refused.detail());
    }

    private Outcome check(
            X509Certificate certificate, CertificateNames names, @Nullable String address) {
        Instant now = clock.instant();
        Instant ends = certificate.getNotAfter().toInstant();
        if (!ends.isAfter(now)) {
            return new Outcome.Refused(
                    "certificate-expired",
                    "The certificate has expired",
                    names.source() + ": expired at " + ends + " (this service's clock: " + now
                            + "); enrol it again with a new code");
        }
        Optional<Part> known = parts.find(names.part());
        if (known.isEmpty()) {
            return new Outcome.Known(takeOver(certificate, names));
        }
        Part part = known.get();
        if (part.revoked() != null) {
            return new Outcome.Refused(
                    "certificate-revoked",
                    "The certificate is revoked",
                    names.source() + ": revoked at " + part.revoked()
                            + "; enrol it again with a new code");
        }
        return check(certificate, part, address, now);
    }

    private Outcome check(
            X509Certificate certificate, Part part, @Nullable String address, Instant now) {
        String serial = EnrolmentService.serial(certificate);
        if (serial.equals(part.serial())) {
            parts.seen(part, address);
            tellEnd(part, now);
            return new Outcome.Known(part);
        }
        Instant used = part.serialUsed();
        if (serial.equals(part.formerSerial())
                && (used == null || now.isBefore(used.plus(OVERLAP)))) {
            parts.seenFormer(part, address);
            return new Outcome.Known(part);
        }
        if (Authority.issued(certificate).isAfter(part.issued())) {
            parts.renewed(
                    part.id(),
                    ProvenKey.hash(certificate.getPublicKey()),
                    serial,
                    Authority.issued(certificate),
                    certificate.getNotAfter().toInstant(),
                    part.serial());
            LOG.info(
                    "Certificate of {} is newer than this service's data; it is accepted",
                    part.bounds().source());
            return new Outcome.Known(part);
        }
        concerns.tell(
                part.bounds().source(),
                Concern.TWO_SPEAK_AS_ONE,
                "a certificate that was renewed is still in use, from " + address,
                now);
        return new Outcome.Refused(
                "certificate-superseded",
                "The certificate was renewed",
                part.bounds().source()
                        + ": another process renewed this certificate and uses the new one; two processes"
                        + " share one identity. Enrol each of them with a code of its own");
    }

    /** A part renews at two thirds of the life; what is left at five sixths is a concern. */
    private void tellEnd(Part part, Instant now) {
        Duration left = Duration.between(now, part.ends());
        if (left.compareTo(settings.certificateLife().dividedBy(6)) < 0) {
            concerns.tell(
                    part.bounds().source(),
                    Concern.CERTIFICATE_ENDS,
                    "its certificate ends at " + part.ends() + " and it does not renew it",
                    now);
        }
    }

    private synchronized Part takeOver(X509Certificate certificate, CertificateNames names) {
        Optional<Part> meanwhile = parts.find(names.part());
        if (meanwhile.isPresent()) {
            return meanwhile.get();
        }
        Instant now = clock.instant();
        Part part = new Part(
                names.part(),
                PartKind.of(names.kind()).orElse(PartKind.AGENT),
                ReportingBounds.of(
                        names.source(), names.node(), String.join(" ", names.networks())),
                "",
                now,
                BY_CERTIFICATE,
                EnrolmentService.serial(certificate),
                Authority.issued(certificate),
                certificate.getNotAfter().toInstant(),
                null,
                null,
                null,
                null,
                null,
                null);
        parts.add(part, ProvenKey.hash(certificate.getPublicKey()));
        LOG.warn(
                "{} is not in this service's data, but has a certificate of its authority; it is accepted",
                EnrolmentService.text(part));
        return part;
    }
}
