package dev.komainu.central.api.enrolment;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.ReportingBounds;
import dev.komainu.central.api.access.PasswordChecks;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.enrolment.EnrolmentAddress;
import dev.komainu.central.enrolment.EnrolmentCodes;
import dev.komainu.central.enrolment.EnrolmentRefusedException;
import dev.komainu.central.enrolment.EnrolmentService;
import dev.komainu.central.enrolment.PartKind;
import dev.komainu.central.enrolment.StoredCode;
import dev.komainu.settings.Cidr;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The codes with which parts enrol. */
@RestController
class EnrolmentCodeController {

    private static final int MOST_NODE_CHARS = 255;
    static final int MOST_NETWORKS = 32;

    private final EnrolmentCodes codes;
    private final EnrolmentService enrolment;
    private final PasswordChecks passwords;
    private final Audit audit;

    EnrolmentCodeController(
            EnrolmentCodes codes,
            EnrolmentService enrolment,
            PasswordChecks passwords,
            Audit audit) {
        this.codes = codes;
        this.enrolment = enrolment;
        this.passwords = passwords;
        this.audit = audit;
    }

    record NewCode(
            @Nullable List<@Nullable String> kinds,
            @Nullable String node,
            @Nullable List<@Nullable String> networks,
            @Nullable Integer uses,
            @Nullable Integer minutes) {}

    /** {@code StoredCode} of the contract. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record CodeView(
            String id,
            List<String> kinds,
            @Nullable String node,
            List<String> networks,
            int uses,
            int used,
            Instant created,
            String createdBy,
            Instant expires) {

        static CodeView of(StoredCode code) {
            return new CodeView(
                    code.id(),
                    code.kinds().stream().map(PartKind::text).toList(),
                    code.node(),
                    code.networks().stream().map(Cidr::toString).toList(),
                    code.uses(),
                    code.used(),
                    code.created(),
                    code.createdBy(),
                    code.expires());
        }
    }

    record CreatedCode(@JsonUnwrapped CodeView view, String code) {}

    record CodeList(List<CodeView> codes) {}

    @GetMapping("/api/v1/enrolment-codes")
    CodeList list() {
        return new CodeList(codes.open().stream().map(CodeView::of).toList());
    }

    @PostMapping("/api/v1/enrolment-codes")
    @ResponseStatus(HttpStatus.CREATED)
    CreatedCode create(
            @AuthenticationPrincipal Caller caller,
            @RequestBody NewCode body,
            HttpServletRequest request) {
        EnrolmentCodes.Limits limits = limits(body);
        passwords.requireConfirmed(caller);
        try {
            enrolment.checkPossible();
            EnrolmentCodes.Created created = codes.create(limits, caller.name());
            audit.done(
                    caller,
                    "enrolment-code.create",
                    created.code().id(),
                    null,
                    text(created.code()));
            return new CreatedCode(
                    CodeView.of(created.code()),
                    enrolment.text(
                            created,
                            EnrolmentAddress.of(request.getServerName(), request.getServerPort())));
        } catch (EnrolmentRefusedException e) {
            throw EnrolmentController.problem(e);
        }
    }

    private static EnrolmentCodes.Limits limits(NewCode body) {
        List<@Nullable String> kinds = Objects.requireNonNullElse(body.kinds(), List.of());
        int uses = Objects.requireNonNullElse(body.uses(), 1);
        int minutes = Objects.requireNonNullElse(body.minutes(), EnrolmentCodes.DEFAULT_MINUTES);
        List<@Nullable String> networks = Objects.requireNonNullElse(body.networks(), List.of());
        BodyChecks checks = new BodyChecks()
                .that(
                        !kinds.isEmpty() && kinds.size() <= PartKind.values().length,
                        "kinds",
                        body.kinds(),
                        "at least one of " + PartKind.choices())
                .that(
                        body.node() == null
                                || (!body.node().isBlank()
                                        && body.node().length() <= MOST_NODE_CHARS),
                        "node",
                        body.node() == null ? null : body.node().length() + " characters",
                        "1 to " + MOST_NODE_CHARS + " characters")
                .that(
                        uses >= 1 && uses <= EnrolmentCodes.MOST_USES,
                        "uses",
                        uses,
                        "1 to " + EnrolmentCodes.MOST_USES)
                .that(
                        minutes >= 1 && minutes <= EnrolmentCodes.MOST_MINUTES,
                        "minutes",
                        minutes,
                        "1 to " + EnrolmentCodes.MOST_MINUTES);
        for (int i = 0; i < Math.min(kinds.size(), PartKind.values().length); i++) {
            String kind = kinds.get(i);
            checks.that(
                    kind != null && PartKind.of(kind).isPresent(),
                    "kinds[" + i + "]",
                    kind,
                    "one of " + PartKind.choices());
        }
        checkNetworks(checks, networks);
        checks.orRefuse();
        return new EnrolmentCodes.Limits(
                kinds.stream()
                        .flatMap(kind -> PartKind.of(Objects.requireNonNull(kind)).stream())
                        .distinct()
                        .toList(),
                body.node() == null ? null : body.node().strip(),
                networks.stream()
                        .map(text -> Cidr.parse(Objects.requireNonNull(text)))
                        .toList(),
                uses,
                Duration.ofMinutes(minutes));
    }

    static void checkNetworks(BodyChecks checks, List<@Nullable String> networks) {
        checks.that(
                networks.size() <= MOST_NETWORKS,
                "networks",
                networks.size() + " blocks",
                "at most " + MOST_NETWORKS);
        for (int i = 0; i < Math.min(networks.size(), MOST_NETWORKS); i++) {
            checks.that(
                    ReportingBounds.isBlock(networks.get(i)),
                    "networks[" + i + "]",
                    networks.get(i),
                    ReportingBounds.BLOCK);
        }
    }

    @DeleteMapping("/api/v1/enrolment-codes/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void withdraw(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
        StoredCode code =
                codes.withdraw(id).orElseThrow(ProblemException.notFound("enrolment code", id));
        audit.done(caller, "enrolment-code.withdraw", id, text(code), null);
    }

    private static String text(StoredCode code) {
        return String.join(" or ", code.kinds().stream().map(PartKind::text).toList())
                + (code.node() == null ? ", any new host" : ", the host " + code.node())
                + (code.networks().isEmpty() ? "" : ", for " + code.networks())
                + ", " + code.uses() + " uses until " + code.expires();
    }
}
