package dev.komainu.central.api.change;

import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.guard.GroupGuard;
import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The changes of watched services. */
@RestController
class ChangeController {

    private final Changes changes;
    private final Audit audit;
    private final Assessor assessor;
    private final GroupGuard guard;
    private final Clock clock;

    ChangeController(
            Changes changes, Audit audit, Assessor assessor, GroupGuard guard, Clock clock) {
        this.guard = guard;
        this.clock = clock;
        this.changes = changes;
        this.audit = audit;
        this.assessor = assessor;
    }

    record ChangeRequest(
            @Nullable String service,
            @Nullable String title,
            @Nullable String setting,
            @Nullable String before,
            @Nullable String after,
            @Nullable String adviceId,
            @Nullable String diagnosisId,
            @Nullable String note) {

        /**
         * Returns the checked change, under the service's name in the charts.
         *
         * @throws ProblemException naming every field that is wrong
         */
        Change.Wish checked(Assessor assessor) {
            new BodyChecks()
                    .text("service", service, 300)
                    .text("title", title, 200)
                    .optionalText("setting", setting, 200)
                    .optionalText("before", before, 2000)
                    .optionalText("after", after, 2000)
                    .optionalText("adviceId", adviceId, 200)
                    .optionalText("diagnosisId", diagnosisId, 64)
                    .optionalText("note", note, 2000)
                    .orRefuse();
            return new Change.Wish(
                    assessor.canonical(Objects.requireNonNull(service)),
                    Objects.requireNonNull(title),
                    setting,
                    before,
                    after,
                    adviceId,
                    diagnosisId,
                    note);
        }
    }

    /**
     * A note on the time line of a service.
     *
     * @param at time that it belongs to; absent: now
     */
    record NoteRequest(@Nullable String text, @Nullable Instant at) {

        private static final Duration OLDEST = Duration.ofDays(400);

        /** Returns the time of the note. */
        Instant checked(Instant now) {
            Instant from = now.minus(OLDEST);
            new BodyChecks()
                    .text("text", text, 200)
                    .that(
                            at == null || (at.isAfter(from) && at.isBefore(now.plusSeconds(60))),
                            "at",
                            at,
                            "from " + from + " to now")
                    .orRefuse();
            return at == null ? now : at;
        }
    }

    @PostMapping("/api/v1/services/{service}/notes")
    @ResponseStatus(HttpStatus.CREATED)
    ChangeView note(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String service,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key,
            @RequestBody NoteRequest request) {
        new BodyChecks().optionalText("Idempotency-Key", key, 128).orRefuse();
        Instant at = request.checked(clock.instant());
        Change.Wish wish = new Change.Wish(
                assessor.canonical(service),
                Objects.requireNonNull(request.text()),
                null,
                null,
                null,
                null,
                null,
                null);
        return view(caller, "note.record", key, changes.recordNote(wish, caller.name(), at, key));
    }

    @GetMapping("/api/v1/changes")
    Page<ChangeView> list(
            @RequestParam @Nullable String service,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam @Nullable String cursor) {
        List<Change> rows = changes.list(
                service == null ? null : assessor.canonical(service),
                Cursor.decodeNumber(cursor, Long.MAX_VALUE),
                Cursor.limit(limit) + 1);
        return Page.of(rows, limit, change -> Long.toString(change.id())).map(ChangeView::of);
    }

    @PostMapping("/api/v1/changes")
    @ResponseStatus(HttpStatus.CREATED)
    ChangeView record(
            @AuthenticationPrincipal Caller caller,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key,
            @RequestBody ChangeRequest request) {
        new BodyChecks().optionalText("Idempotency-Key", key, 128).orRefuse();
        Change.Wish wish = request.checked(assessor);
        guard.require(caller, wish.service());
        return view(caller, "change.record", key, changes.record(wish, caller.name(), key));
    }

    private ChangeView view(
            Caller caller, String action, @Nullable String key, Changes.Outcome outcome) {
        return switch (outcome) {
            case Changes.Outcome.Recorded recorded -> {
                Change.Wish wish = recorded.change().wish();
                String subject = wish.setting() == null
                        ? wish.service()
                        : wish.service() + " " + wish.setting();
                audit.done(caller, action, subject, wish.before(), wish.after());
                yield ChangeView.of(recorded.change());
            }
            case Changes.Outcome.Repeated repeated -> ChangeView.of(repeated.change());
            case Changes.Outcome.KeyReused reused ->
                throw new ProblemException(Problem.of(
                        422,
                        "idempotency-key-reused",
                        "The Idempotency-Key was used before with another body",
                        "Idempotency-Key: " + key + " (expected: a new key for each change)"));
        };
    }
}
