package dev.komainu.central.api.alert;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.alert.AlertKind;
import dev.komainu.central.alert.AlertRule;
import dev.komainu.central.alert.AlertRules;
import dev.komainu.central.alert.Severity;
import dev.komainu.central.alert.StateMatch;
import dev.komainu.central.alert.Versioned;
import dev.komainu.central.alert.VersionedTable;
import dev.komainu.central.alert.notify.Receivers;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.label.LabelSelector;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The alert rules. */
@RestController
class AlertRuleController {

    private static final String WHAT = "alert rule";
    private static final int MOST_NAMES = 50;

    private final AlertRules rules;
    private final Receivers receivers;
    private final Audit audit;

    AlertRuleController(AlertRules rules, Receivers receivers, Audit audit) {
        this.rules = rules;
        this.receivers = receivers;
        this.audit = audit;
    }

    record RuleRequest(
            @Nullable String name,
            @Nullable String kind,
            @Nullable List<@Nullable String> states,
            @Nullable String service,
            @Nullable Integer needed,
            @Nullable Integer ofSeconds,
            @Nullable Integer clearSeconds,
            @Nullable Integer repeatHours,
            @Nullable String severity,
            @Nullable Double threshold,
            @Nullable List<@Nullable String> receivers,
            @Nullable Boolean enabled,
            @Nullable String label) {

        /**
         * Returns the checked rule.
         *
         * @throws ProblemException naming every field that is wrong
         */
        AlertRule checked(Receivers known) {
            String kindText = Objects.requireNonNullElse(kind, "");
            AlertKind ofKind =
                    AlertKind.of(kindText).filter(AlertKind::hasRules).orElse(null);
            List<@Nullable String> named = Objects.requireNonNullElse(states, List.of());
            List<@Nullable String> receiverIds = Objects.requireNonNullElse(receivers, List.of());
            int window = Objects.requireNonNullElse(ofSeconds, 1);
            int least = Objects.requireNonNullElse(needed, window);
            int clear = Objects.requireNonNullElse(clearSeconds, 30);
            int repeat = Objects.requireNonNullElse(repeatHours, 4);
            BodyChecks checks = new BodyChecks()
                    .text("name", name, 80)
                    .that(ofKind != null, "kind", kind, AlertKind.choices())
                    .that(
                            named.isEmpty() || ofKind == AlertKind.SERVICE,
                            "states",
                            named,
                            "none, since only services have states")
                    .that(
                            named.size() <= MOST_NAMES,
                            "states",
                            named.size() + " names",
                            "at most " + MOST_NAMES)
                    .that(
                            service == null || !service.isBlank(),
                            "service",
                            service,
                            "a pattern, or absent for all services")
                    .optionalText("service", service, 300)
                    .that(
                            label == null
                                    || (ofKind == AlertKind.SERVICE
                                            && LabelSelector.isSelector(label)),
                            "label",
                            label,
                            "absent, or for services " + LabelSelector.FORM)
                    .that(
                            window >= 1 && window <= AlertRule.LONGEST_LOOK_SECONDS,
                            "ofSeconds",
                            window,
                            "1 to " + AlertRule.LONGEST_LOOK_SECONDS)
                    .that(
                            least >= 1 && least <= window,
                            "needed",
                            least,
                            "1 to ofSeconds (" + window + ")")
                    .that(
                            clear >= 0 && clear <= AlertRule.LONGEST_CLEAR_SECONDS,
                            "clearSeconds",
                            clear,
                            "0 to " + AlertRule.LONGEST_CLEAR_SECONDS)
                    .that(
                            repeat >= 0 && repeat <= AlertRule.LONGEST_REPEAT_HOURS,
                            "repeatHours",
                            repeat,
                            "0 (never) to " + AlertRule.LONGEST_REPEAT_HOURS)
                    .that(
                            severity == null || Severity.of(severity).isPresent(),
                            "severity",
                            severity,
                            "critical, warning, info, or absent for the default")
                    .that(
                            threshold == null || fits(ofKind, threshold),
                            "threshold",
                            threshold,
                            expected(ofKind))
                    .that(
                            receiverIds.size() <= MOST_NAMES,
                            "receivers",
                            receiverIds.size() + " ids",
                            "at most " + MOST_NAMES);
            for (int i = 0; i < named.size(); i++) {
                String state = named.get(i);
                checks.that(
                        state != null && StateMatch.known(state),
                        "states[" + i + "]",
                        state,
                        "a state such as saturated/cpu, or a family such as saturated");
            }
            for (int i = 0; i < receiverIds.size(); i++) {
                String id = receiverIds.get(i);
                checks.that(
                        id != null && known.find(id).isPresent(),
                        "receivers[" + i + "]",
                        id,
                        "the id of a receiver");
            }
            checks.orRefuse();
            return new AlertRule(
                    Objects.requireNonNull(name).strip(),
                    Objects.requireNonNull(ofKind),
                    named.stream().map(String::valueOf).toList(),
                    service == null ? null : service.strip(),
                    least,
                    window,
                    clear,
                    repeat,
                    severity == null ? null : Severity.of(severity).orElseThrow(),
                    threshold,
                    receiverIds.stream().map(String::valueOf).toList(),
                    enabled == null || enabled,
                    label == null ? null : LabelSelector.parse(label).toString());
        }

        private static boolean fits(@Nullable AlertKind kind, double threshold) {
            return switch (kind) {
                case null -> true; // reported by the check of the kind
                case PROBE_LOSS, RECORD_DROPS -> threshold >= 1 && threshold <= 1e9;
                case STORE_FULL -> threshold >= 0.1 && threshold <= 1;
                case RECORD_SERVER -> threshold >= 1 && threshold <= 3_600;
                case SERVICE,
                        SOURCE_SILENT,
                        QUOTA,
                        FOREIGN_REPORT,
                        IDENTITY,
                        DISK_FULL,
                        CLUSTER_PARTED,
                        CLUSTER_CONFLICT,
                        MEMBER_FLAPPING,
                        TOKEN_CREATED,
                        CONTROL_MENDED -> false;
            };
        }

        private static String expected(@Nullable AlertKind kind) {
            return switch (kind) {
                case null -> "a number";
                case PROBE_LOSS -> "1 to 1000000000 packets a minute";
                case RECORD_DROPS -> "1 to 1000000000 records a minute";
                case STORE_FULL -> "a share of 0.1 to 1";
                case RECORD_SERVER -> "1 to 3600 seconds";
                case SERVICE,
                        SOURCE_SILENT,
                        QUOTA,
                        FOREIGN_REPORT,
                        IDENTITY,
                        DISK_FULL,
                        CLUSTER_PARTED,
                        CLUSTER_CONFLICT,
                        MEMBER_FLAPPING,
                        TOKEN_CREATED,
                        CONTROL_MENDED -> "absent, since this kind has none";
            };
        }
    }

    @JsonInclude(JsonInclude.Include.ALWAYS)
    record RuleView(
            String id,
            long version,
            String name,
            AlertKind kind,
            List<String> states,
            @Nullable String service,
            int needed,
            int ofSeconds,
            int clearSeconds,
            int repeatHours,
            @Nullable Severity severity,
            @Nullable Double threshold,
            List<String> receivers,
            boolean enabled,
            @Nullable String label) {

        static RuleView of(Versioned<AlertRule> versioned) {
            AlertRule rule = versioned.body();
            return new RuleView(
                    versioned.id(),
                    versioned.version(),
                    rule.name(),
                    rule.kind(),
                    rule.states(),
                    rule.service(),
                    rule.needed(),
                    rule.ofSeconds(),
                    rule.clearSeconds(),
                    rule.repeatHours(),
                    rule.severity(),
                    rule.threshold(),
                    rule.receivers(),
                    rule.enabled(),
                    rule.label());
        }
    }

    @GetMapping("/api/v1/alert-rules")
    List<RuleView> list() {
        return rules.all().stream().map(RuleView::of).toList();
    }

    @PostMapping("/api/v1/alert-rules")
    ResponseEntity<RuleView> create(
            @AuthenticationPrincipal Caller caller,
            @RequestHeader(name = "Idempotency-Key", required = false) @Nullable String key,
            @RequestBody RuleRequest request) {
        new BodyChecks().optionalText("Idempotency-Key", key, 128).orRefuse();
        return switch (rules.create(request.checked(receivers), caller.name(), key)) {
            case VersionedTable.Created.Fresh<AlertRule> fresh -> {
                audit.done(
                        caller,
                        "alert-rule.create",
                        fresh.item().id(),
                        null,
                        String.valueOf(fresh.item().body()));
                yield Revision.tagged(201, fresh.item(), RuleView.of(fresh.item()));
            }
            case VersionedTable.Created.Repeated<AlertRule> repeated ->
                Revision.tagged(201, repeated.item(), RuleView.of(repeated.item()));
            case VersionedTable.Created.KeyReused<AlertRule> reused ->
                throw Revision.keyReused(key);
        };
    }

    @PutMapping("/api/v1/alert-rules/{id}")
    ResponseEntity<RuleView> replace(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String id,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
            @RequestBody RuleRequest request) {
        Versioned<AlertRule> before =
                rules.find(id).orElseThrow(ProblemException.notFound(WHAT, id));
        long version = Revision.ifMatch(ifMatch, WHAT, id);
        AlertRule rule = request.checked(receivers);
        new BodyChecks()
                .that(
                        rule.kind() == before.body().kind(),
                        "kind",
                        rule.kind().text(),
                        before.body().kind().text()
                                + ", since a rule's kind cannot change; create another rule")
                .orRefuse();
        Versioned<AlertRule> after =
                rules.replace(id, version, rule).orElseThrow(() -> Revision.changed(WHAT, id));
        audit.done(
                caller,
                "alert-rule.change",
                id,
                String.valueOf(before.body()),
                String.valueOf(after.body()));
        return Revision.tagged(200, after, RuleView.of(after));
    }

    @DeleteMapping("/api/v1/alert-rules/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void delete(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
        rules.delete(id)
                .ifPresent(before -> audit.done(
                        caller, "alert-rule.delete", id, String.valueOf(before.body()), null));
    }
}
