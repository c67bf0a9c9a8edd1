package dev.komainu.central.api.enrolment;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.access.AuditOrigin;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.enrolment.EnrolmentRefusedException;
import dev.komainu.central.enrolment.EnrolmentService;
import dev.komainu.central.enrolment.PartKind;
import dev.komainu.settings.Cidr;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The enrolment of parts, and the renewal of their certificates. */
@RestController
class EnrolmentController {

    private static final int MOST_SECRET_CHARS = 100;
    private static final int MOST_SOURCE_CHARS = 200;
    private static final int MOST_NODE_CHARS = 255;
    private static final int MOST_ADDRESSES = 32;
    private static final int MOST_KEY_CHARS = 1_000;

    private final EnrolmentService enrolment;

    EnrolmentController(EnrolmentService enrolment) {
        this.enrolment = enrolment;
    }

    record EnrolmentRequest(
            @Nullable String secret,
            @Nullable String kind,
            @Nullable String source,
            @Nullable String node,
            @Nullable List<@Nullable String> addresses,
            @Nullable String publicKey,
            @Nullable String proof) {}

    record RenewalRequest(
            @Nullable String publicKey, @Nullable String proof) {}

    /** {@code PartIdentity} of the contract. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record PartIdentity(
            String part,
            String kind,
            String source,
            @Nullable String node,
            List<String> networks,
            List<String> leftOut,
            String certificate,
            String authorities,
            boolean publicAuthorities,
            Instant ends,
            Instant time) {

        static PartIdentity of(EnrolmentService.Issued issued) {
            return new PartIdentity(
                    issued.part().id(),
                    issued.part().kind().text(),
                    issued.part().bounds().source(),
                    issued.part().bounds().node(),
                    issued.part().bounds().networks().stream()
                            .map(Cidr::toString)
                            .toList(),
                    issued.leftOut().stream().map(InetAddress::getHostAddress).toList(),
                    issued.certificate(),
                    issued.authorities(),
                    issued.publicAuthorities(),
                    issued.part().ends(),
                    issued.time());
        }
    }

    @PostMapping("/api/v1/enrolments")
    @ResponseStatus(HttpStatus.CREATED)
    PartIdentity enrol(@RequestBody EnrolmentRequest body, HttpServletRequest request) {
        List<@Nullable String> addresses = Objects.requireNonNullElse(body.addresses(), List.of());
        PartKind kind = body.kind() == null ? null : PartKind.of(body.kind()).orElse(null);
        BodyChecks checks = new BodyChecks()
                .secret(
                        body.secret() != null
                                && !body.secret().isBlank()
                                && body.secret().length() <= MOST_SECRET_CHARS,
                        "secret",
                        "that of an enrolment code")
                .that(kind != null, "kind", shown(body.kind()), "one of " + PartKind.choices())
                .text("source", body.source(), MOST_SOURCE_CHARS)
                .that(
                        body.node() == null
                                || (!body.node().isBlank()
                                        && body.node().length() <= MOST_NODE_CHARS),
                        "node",
                        shown(body.node()),
                        "1 to " + MOST_NODE_CHARS + " characters")
                .that(
                        addresses.size() <= MOST_ADDRESSES,
                        "addresses",
                        addresses.size() + " addresses",
                        "at most " + MOST_ADDRESSES)
                .text("publicKey", body.publicKey(), MOST_KEY_CHARS)
                .text("proof", body.proof(), MOST_KEY_CHARS);
        for (int i = 0; i < Math.min(addresses.size(), MOST_ADDRESSES); i++) {
            checks.that(
                    address(addresses.get(i)) != null,
                    "addresses[" + i + "]",
                    shown(addresses.get(i)),
                    "an address");
        }
        checks.orRefuse();
        try {
            return PartIdentity.of(enrolment.enrol(
                    new EnrolmentService.Application(
                            Objects.requireNonNull(body.secret()),
                            Objects.requireNonNull(kind),
                            Objects.requireNonNull(body.source()),
                            body.node(),
                            addresses.stream()
                                    .map(EnrolmentController::address)
                                    .map(Objects::requireNonNull)
                                    .toList(),
                            Objects.requireNonNull(body.publicKey()),
                            Objects.requireNonNull(body.proof())),
                    new AuditOrigin(request.getRemoteAddr(), request.getHeader("User-Agent"))));
        } catch (EnrolmentRefusedException e) {
            throw problem(e);
        }
    }

    @PostMapping("/api/v1/parts/renewal")
    PartIdentity renew(
            @RequestAttribute("jakarta.servlet.request.X509Certificate") X509Certificate[] shown,
            @RequestBody RenewalRequest body) {
        new BodyChecks()
                .text("publicKey", body.publicKey(), MOST_KEY_CHARS)
                .text("proof", body.proof(), MOST_KEY_CHARS)
                .orRefuse();
        try {
            return PartIdentity.of(enrolment.renew(
                    shown[0],
                    Objects.requireNonNull(body.publicKey()),
                    Objects.requireNonNull(body.proof())));
        } catch (EnrolmentRefusedException e) {
            throw problem(e);
        }
    }

    static ProblemException problem(EnrolmentRefusedException refused) {
        EnrolmentRefusedException.Reason reason = refused.reason();
        return new ProblemException(
                Problem.of(reason.status(), reason.type(), reason.title(), refused.getMessage()),
                refused.retryAfter());
    }

    private static @Nullable InetAddress address(@Nullable String text) {
        try {
            return text == null ? null : InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable String shown(@Nullable String text) {
        return text == null || text.length() <= 60 ? text : text.length() + " characters";
    }
}
