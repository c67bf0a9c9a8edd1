package dev.komainu.central.api.enrolment;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.access.PasswordChecks;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.enrolment.EnrolmentService;
import dev.komainu.central.enrolment.Part;
import dev.komainu.central.enrolment.Parts;
import dev.komainu.settings.Cidr;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The parts and their identities. */
@RestController
class PartController {

    private final Parts parts;
    private final PasswordChecks passwords;
    private final Audit audit;
    private final Clock clock;

    PartController(Parts parts, PasswordChecks passwords, Audit audit, Clock clock) {
        this.parts = parts;
        this.passwords = passwords;
        this.audit = audit;
        this.clock = clock;
    }

    record PartUpdate(@Nullable List<@Nullable String> networks) {}

    /** {@code Part} of the contract. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record PartView(
            String id,
            String kind,
            String source,
            @Nullable String node,
            List<String> networks,
            Instant enrolled,
            String enrolledBy,
            @Nullable String code,
            Instant certificateEnds,
            @Nullable Instant lastSeen,
            @Nullable String lastAddress,
            String state,
            @Nullable Instant revoked,
            @Nullable String revokedBy) {

        static PartView of(Part part, Instant now) {
            return new PartView(
                    part.id(),
                    part.kind().text(),
                    part.bounds().source(),
                    part.bounds().node(),
                    part.bounds().networks().stream().map(Cidr::toString).toList(),
                    part.enrolled(),
                    part.enrolledBy(),
                    part.code().isEmpty() ? null : part.code(),
                    part.ends(),
                    part.lastSeen(),
                    part.lastAddress(),
                    part.state(now).name().toLowerCase(Locale.ROOT),
                    part.revoked(),
                    part.revokedBy());
        }
    }

    record PartList(List<PartView> parts) {}

    @GetMapping("/api/v1/parts")
    PartList list() {
        Instant now = clock.instant();
        return new PartList(parts.list().stream()
                .sorted(Comparator.comparing(part -> part.state(now)))
                .map(part -> PartView.of(part, now))
                .toList());
    }

    @PatchMapping("/api/v1/parts/{id}")
    PartView change(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String id,
            @RequestBody PartUpdate body) {
        List<@Nullable String> networks = Objects.requireNonNullElse(body.networks(), List.of());
        BodyChecks checks = new BodyChecks()
                .that(body.networks() != null, "networks", null, "a list of blocks");
        EnrolmentCodeController.checkNetworks(checks, networks);
        checks.orRefuse();
        passwords.requireConfirmed(caller);
        Part before = parts.find(id).orElseThrow(ProblemException.notFound("part", id));
        Part after = parts.setNetworks(
                        id,
                        networks.stream()
                                .map(text -> Cidr.parse(Objects.requireNonNull(text)))
                                .toList())
                .orElseThrow(ProblemException.notFound("part", id));
        audit.done(
                caller,
                "part.change",
                id,
                EnrolmentService.text(before),
                EnrolmentService.text(after));
        return PartView.of(after, clock.instant());
    }

    @DeleteMapping("/api/v1/parts/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void revoke(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
        Part part = parts.find(id).orElseThrow(ProblemException.notFound("part", id));
        if (parts.revoke(id, caller.name()).isPresent()) {
            audit.done(caller, "part.revoke", id, EnrolmentService.text(part), null);
        }
    }
}
