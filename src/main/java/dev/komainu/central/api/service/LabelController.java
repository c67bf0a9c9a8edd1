package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.page.RowId;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.label.LabelBook;
import dev.komainu.central.label.LabelRule;
import dev.komainu.central.label.ServiceLabel;
import dev.komainu.telemetry.record.Label;
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
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The labels of a service, and the rules that give labels. */
@RestController
class LabelController {

    private static final int MOST_PATTERN_CHARS = 300;

    private final Assessor assessor;
    private final LabelBook labels;
    private final Audit audit;

    LabelController(Assessor assessor, LabelBook labels, Audit audit) {
        this.assessor = assessor;
        this.labels = labels;
        this.audit = audit;
    }

    /**
     * {@code ServiceLabel} of the contract.
     *
     * @param counts false when a label of another origin has precedence
     */
    record LabelView(String key, String value, String origin, String source, boolean counts) {}

    record LabelRequest(@Nullable String key, @Nullable String value) {

        /** Returns the label; throws naming each wrong field. */
        Label checked() {
            new BodyChecks()
                    .that(
                            key != null && Label.isKey(key),
                            "key",
                            shown(key),
                            "1 to 63 characters of a-z, 0-9 and . _ / -, a letter first")
                    .that(
                            value != null && Label.isValue(value),
                            "value",
                            shown(value),
                            "1 to 63 letters, digits and . _ : @ / + -, a letter or digit first")
                    .orRefuse();
            return new Label(Objects.requireNonNull(key), Objects.requireNonNull(value));
        }
    }

    record RuleRequest(
            @Nullable String service,
            @Nullable String node,
            @Nullable String kind,
            @Nullable String key,
            @Nullable String value) {}

    /** {@code LabelRule} of the contract. */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record RuleView(
            String id,
            @Nullable String service,
            @Nullable String node,
            @Nullable String kind,
            String key,
            String value,
            String by,
            Instant at) {

        static RuleView of(LabelRule rule) {
            return new RuleView(
                    Long.toString(rule.id()),
                    rule.service(),
                    rule.node(),
                    rule.kind(),
                    rule.label().key(),
                    rule.label().value(),
                    rule.by(),
                    rule.at());
        }
    }

    @GetMapping("/api/v1/services/{service}/labels")
    List<LabelView> list(@PathVariable String service) {
        return views(require(service));
    }

    @PutMapping("/api/v1/services/{service}/labels")
    List<LabelView> set(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String service,
            @RequestBody LabelRequest request) {
        ServiceAssessment assessment = require(service);
        String id = assessment.profile().id();
        Label label = request.checked();
        String before = labels.setByHand(id, label.key());
        new BodyChecks()
                .that(
                        labels.set(id, label, caller.name()) == LabelBook.Outcome.DONE,
                        "key",
                        label.key(),
                        "at most " + Label.MOST_OF_A_SERVICE + " labels set by hand of one service")
                .orRefuse();
        audit.done(caller, "label.set", id + " " + label.key(), before, label.value());
        return views(assessment);
    }

    /**
     * Removes a label that was set by hand. It succeeds also when none was set, so that it can be
     * repeated.
     */
    @DeleteMapping("/api/v1/services/{service}/labels")
    List<LabelView> remove(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String service,
            @RequestParam String key) {
        ServiceAssessment assessment = require(service);
        String id = assessment.profile().id();
        String before = labels.setByHand(id, key);
        if (before != null) {
            labels.unset(id, key);
            audit.done(caller, "label.remove", id + " " + key, before, null);
        }
        return views(assessment);
    }

    @GetMapping("/api/v1/label-rules")
    List<RuleView> rules() {
        return labels.rules().stream().map(RuleView::of).toList();
    }

    @PostMapping("/api/v1/label-rules")
    @ResponseStatus(HttpStatus.CREATED)
    RuleView addRule(@AuthenticationPrincipal Caller caller, @RequestBody RuleRequest request) {
        String service = blankToNull(request.service());
        String node = blankToNull(request.node());
        String kind = blankToNull(request.kind());
        new BodyChecks()
                .that(
                        service != null || node != null || kind != null,
                        "service",
                        service,
                        "a pattern, or one in node, or a kind")
                .optionalText("service", service, MOST_PATTERN_CHARS)
                .optionalText("node", node, MOST_PATTERN_CHARS)
                .optionalText("kind", kind, 40)
                .orRefuse();
        Label label = new LabelRequest(request.key(), request.value()).checked();
        LabelRule rule = labels.addRule(service, node, kind, label, caller.name());
        new BodyChecks()
                .that(
                        rule != null,
                        "rules",
                        labels.rules().size(),
                        "fewer than " + LabelRule.MOST + ": delete one first")
                .orRefuse();
        LabelRule created = Objects.requireNonNull(rule);
        audit.done(
                caller, "label-rule.create", Long.toString(created.id()), null, created.summary());
        return RuleView.of(created);
    }

    @DeleteMapping("/api/v1/label-rules/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void deleteRule(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
        LabelRule deleted = labels.deleteRule(RowId.of("label rule", id));
        if (deleted == null) {
            throw ProblemException.notFound("label rule", id).get();
        }
        audit.done(caller, "label-rule.delete", id, deleted.summary(), null);
    }

    private List<LabelView> views(ServiceAssessment assessment) {
        List<ServiceLabel> counting = labels.of(assessment.profile()).all();
        return labels.given(assessment.profile()).stream()
                .map(one -> new LabelView(
                        one.key(),
                        one.value(),
                        one.origin().text(),
                        one.source(),
                        counting.contains(one)))
                .toList();
    }

    private ServiceAssessment require(String service) {
        return assessor.find(service).orElseThrow(ProblemException.notFound("service", service));
    }

    private static @Nullable String blankToNull(@Nullable String text) {
        return text == null || text.isBlank() ? null : text.strip();
    }

    private static @Nullable String shown(@Nullable String value) {
        return value == null || value.length() <= 70 ? value : value.substring(0, 70) + "…";
    }
}
