package dev.komainu.central.api.change;

import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.guard.GroupGuard;
import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.api.page.RowId;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.verify.Verification;
import dev.komainu.central.verify.VerificationReport;
import dev.komainu.central.verify.Verifications;
import dev.komainu.central.verify.Verifier;
import dev.komainu.central.verify.VerifySettings;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The verifications of changes. */
@RestController
class VerificationController {

    private static final MediaType MARKDOWN =
            MediaType.parseMediaType("text/markdown;charset=UTF-8");

    private final Verifications runs;
    private final Verifier verifier;
    private final Changes changes;
    private final Assessor assessor;
    private final IndexCatalogue catalogue;
    private final Audit audit;
    private final GroupGuard guard;
    private final Clock clock;

    VerificationController(
            Verifications runs,
            Verifier verifier,
            Changes changes,
            Assessor assessor,
            IndexCatalogue catalogue,
            Audit audit,
            GroupGuard guard,
            Clock clock) {
        this.runs = runs;
        this.verifier = verifier;
        this.changes = changes;
        this.assessor = assessor;
        this.catalogue = catalogue;
        this.audit = audit;
        this.guard = guard;
        this.clock = clock;
    }

    record VerificationRequest(
            @Nullable String changeId,
            @Nullable Integer baselineSeconds,
            @Nullable Integer settleSeconds,
            @Nullable Integer afterSeconds) {

        /**
         * Returns the checked lengths.
         *
         * @throws ProblemException naming every field that is wrong
         */
        Verifier.Lengths checked() {
            BodyChecks checks = new BodyChecks().text("changeId", changeId, 20);
            within(
                    checks,
                    "baselineSeconds",
                    baselineSeconds,
                    VerifySettings.LEAST_BASELINE,
                    VerifySettings.MOST);
            within(
                    checks,
                    "settleSeconds",
                    settleSeconds,
                    Duration.ZERO,
                    VerifySettings.MOST_SETTLE);
            within(
                    checks,
                    "afterSeconds",
                    afterSeconds,
                    VerifySettings.LEAST_AFTER,
                    VerifySettings.MOST);
            checks.orRefuse();
            return new Verifier.Lengths(
                    seconds(baselineSeconds), seconds(settleSeconds), seconds(afterSeconds));
        }

        private static void within(
                BodyChecks checks,
                String field,
                @Nullable Integer value,
                Duration least,
                Duration most) {
            checks.that(
                    value == null || (value >= least.toSeconds() && value <= most.toSeconds()),
                    field,
                    value,
                    least.toSeconds() + " to " + most.toSeconds());
        }

        private static @Nullable Duration seconds(@Nullable Integer value) {
            return value == null ? null : Duration.ofSeconds(value);
        }
    }

    @GetMapping("/api/v1/verifications")
    Page<VerificationView> list(
            @RequestParam(required = false) @Nullable String service,
            @RequestParam(required = false) @Nullable String change,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        List<Verification> rows = runs.list(
                service == null ? null : assessor.canonical(service),
                change == null ? null : Long.valueOf(number("change", change)),
                Cursor.decodeNumber(cursor, Long.MAX_VALUE),
                Cursor.limit(limit) + 1);
        return Page.of(rows, limit, run -> Long.toString(run.id())).map(run -> view(run));
    }

    @PostMapping("/api/v1/verifications")
    ResponseEntity<VerificationView> begin(
            @AuthenticationPrincipal Caller caller, @RequestBody VerificationRequest request) {
        Verifier.Lengths lengths = request.checked();
        String id = String.valueOf(request.changeId());
        Change change = changes.find(number("changeId", id))
                .orElseThrow(ProblemException.notFound("change", id));
        guard.require(caller, change.wish().service());
        Verification run = verifier.begin(change, caller.name(), lengths);
        audit.done(caller, "verification.begin", run.service(), null, "verification " + run.id());
        return ResponseEntity.created(URI.create("/api/v1/verifications/" + run.id()))
                .body(view(run));
    }

    @GetMapping("/api/v1/verifications/{id}")
    VerificationView verification(@PathVariable String id) {
        Verification.WithDiagnosis found = find(id);
        return VerificationView.of(found.run(), found.diagnosis(), catalogue, clock.instant());
    }

    @GetMapping("/api/v1/verifications/{id}/report")
    ResponseEntity<String> report(@PathVariable String id) {
        Verification.WithDiagnosis found = find(id);
        Change change = changes.find(found.run().changeId()).orElse(null);
        return ResponseEntity.ok()
                .contentType(MARKDOWN)
                .header(
                        HttpHeaders.CONTENT_DISPOSITION,
                        "attachment; filename=\"verification-" + found.run().id() + ".md\"")
                .body(VerificationReport.of(found, change, catalogue));
    }

    @GetMapping("/api/v1/verifications/{id}/comparison")
    VerificationView.Pair comparison(@PathVariable String id, @RequestParam String with) {
        return VerificationView.Pair.of(view(find(id).run()), view(find(with).run()));
    }

    private VerificationView view(Verification run) {
        return VerificationView.of(run, null, catalogue, clock.instant());
    }

    private Verification.WithDiagnosis find(String id) {
        return runs.find(RowId.of("verification", id))
                .orElseThrow(ProblemException.notFound("verification", id));
    }

    private static long number(String field, String text) {
        return RowId.parse(text)
                .orElseThrow(
                        () -> ProblemException.invalidField(field, text, "the id of a change"));
    }
}
