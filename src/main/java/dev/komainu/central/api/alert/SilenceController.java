package dev.komainu.central.api.alert;

import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.alert.Silence;
import dev.komainu.central.alert.Silences;
import dev.komainu.central.alert.StateMatch;
import dev.komainu.central.alert.Versioned;
import dev.komainu.central.alert.VersionedTable;
import dev.komainu.central.api.guard.GroupGuard;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.label.LabelSelector;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The silences, and the maintenance of single services. */
@RestController
class SilenceController {

    private static final int MOST_STATES = 50;

    private final Silences silences;
    private final Assessor assessor;
    private final AlertPublisher publisher;
    private final Audit audit;
    private final GroupGuard guard;
    private final Clock clock;

    SilenceController(
            Silences silences,
            Assessor assessor,
            AlertPublisher publisher,
            Audit audit,
            GroupGuard guard,
            Clock clock) {
        this.silences = silences;
        this.assessor = assessor;
        this.publisher = publisher;
        this.audit = audit;
        this.guard = guard;
        this.clock = clock;
    }

    record SilenceRequest(
            @Nullable String kind,
            @Nullable String service,
            @Nullable List<@Nullable String> states,
            @Nullable String reason,
            @Nullable Instant endsAt,
            @Nullable String label) {

        /**
         * Returns the checked silence.
         *
         * @throws ProblemException naming every field that is wrong
         */
        Silence checked(Assessor assessor, String by, Instant now) {
            boolean maintenance = "maintenance".equals(kind);
            List<@Nullable String> named = Objects.requireNonNullElse(states, List.of());
            Instant longest = now.plus(Duration.ofDays(Silence.MOST_DAYS));
            BodyChecks checks = new BodyChecks()
                    .that(
                            Set.of("silence", "maintenance").contains(String.valueOf(kind)),
                            "kind",
                            kind,
                            "silence or maintenance")
                    .that(
                            service == null ? !maintenance : !service.isBlank(),
                            "service",
                            service,
                            maintenance
                                    ? "the service's id"
                                    : "a pattern, or absent for all services")
                    .optionalText("service", service, 300)
                    .that(
                            !maintenance || named.isEmpty(),
                            "states",
                            named,
                            "none, since a maintenance covers all states")
                    .that(
                            named.size() <= MOST_STATES,
                            "states",
                            named.size() + " names",
                            "at most " + MOST_STATES)
                    .that(
                            label == null || (!maintenance && LabelSelector.isSelector(label)),
                            "label",
                            label,
                            "absent, or for a silence " + LabelSelector.FORM)
                    .text("reason", reason, 500)
                    .that(
                            endsAt != null && endsAt.isAfter(now) && !endsAt.isAfter(longest),
                            "endsAt",
                            endsAt,
                            "later than now, at most " + Silence.MOST_DAYS + " days ahead");
            for (int i = 0; i < named.size(); i++) {
                String state = named.get(i);
                checks.that(
                        state != null && StateMatch.known(state),
                        "states[" + i + "]",
                        state,
                        "a state such as saturated/cpu, or a family such as saturated");
            }
            checks.orRefuse();
            return new Silence(
                    maintenance,
                    service == null
                            ? null
                            : maintenance ? assessor.canonical(service.strip()) : service.strip(),
                    named.stream().map(String::valueOf).toList(),
                    Objects.requireNonNull(reason).strip(),
                    by,
                    now,
                    Objects.requireNonNull(endsAt),
                    label == null ? null : LabelSelector.parse(label).toString());
        }
    }

    @GetMapping("/api/v1/silences")
    List<SilenceView> list(@RequestParam(defaultValue = "running") String status) {
        new BodyChecks()
                .that(Set.of("running", "all").contains(status), "status", status, "running or all")
                .orRefuse();
        Instant now = clock.instant();
        List<Versioned<Silence>> rows =
                status.equals("running") ? silences.running() : silences.all();
        return rows.reversed().stream().map(each -> SilenceView.of(each, now)).toList();
    }

    @PostMapping("/api/v1/silences")
    @ResponseStatus(HttpStatus.CREATED)
    SilenceView create(
            @AuthenticationPrincipal Caller caller,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key,
            @RequestBody SilenceRequest request) {
        new BodyChecks().optionalText("Idempotency-Key", key, 128).orRefuse();
        Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        Silence silence = request.checked(assessor, caller.name(), now);
        requireOwn(caller, silence);
        return switch (silences.create(silence, caller.name(), key)) {
            case VersionedTable.Created.Fresh<Silence> fresh -> {
                audit.done(caller, "silence.create", fresh.item().id(), null, silence.summary());
                publisher.changed();
                yield SilenceView.of(fresh.item(), now);
            }
            case VersionedTable.Created.Repeated<Silence> repeated ->
                SilenceView.of(repeated.item(), now);
            case VersionedTable.Created.KeyReused<Silence> reused -> throw Revision.keyReused(key);
        };
    }

    @DeleteMapping("/api/v1/silences/{id}")
    SilenceView end(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
        silences.all().stream()
                .filter(each -> each.id().equals(id))
                .forEach(each -> requireOwn(caller, each.body()));
        Versioned<Silence> ended =
                silences.end(id).orElseThrow(ProblemException.notFound("silence", id));
        audit.done(caller, "silence.end", id, null, ended.body().summary());
        publisher.changed();
        return SilenceView.of(ended, clock.instant());
    }

    /**
     * Refuses a bound caller unless the silence covers only services of the caller's group: a
     * maintenance of one of them, or a selector with all labels of the group.
     */
    private void requireOwn(Caller caller, Silence silence) {
        String group = caller.group();
        if (group == null) {
            return;
        }
        if (silence.maintenance()) {
            guard.require(caller, String.valueOf(silence.service()));
            return;
        }
        String label = silence.label();
        boolean within = label != null
                && LabelSelector.parse(label)
                        .labels()
                        .containsAll(LabelSelector.parse(group).labels());
        if (!within) {
            throw new ProblemException(Problem.of(
                    403,
                    "outside-group",
                    "Not allowed outside the caller's group",
                    "label: " + label + " (expected: a selector with " + group + ")"));
        }
    }
}
