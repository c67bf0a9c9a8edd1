package dev.komainu.central.api.service;

import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.state.Rule;
import dev.komainu.central.state.ThresholdOverride;
import dev.komainu.central.state.Thresholds;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The thresholds of a service: those of the rule book and those set by users. */
@RestController
class ThresholdsController {

    private final Assessor assessor;
    private final Thresholds thresholds;
    private final Audit audit;
    private final Clock clock;

    ThresholdsController(Assessor assessor, Thresholds thresholds, Audit audit, Clock clock) {
        this.assessor = assessor;
        this.thresholds = thresholds;
        this.audit = audit;
        this.clock = clock;
    }

    record ThresholdRequest(
            @Nullable String rule,
            @Nullable String measure,
            @Nullable Double value,
            @Nullable String reason) {}

    @GetMapping("/api/v1/services/{service}/thresholds")
    List<ThresholdView> list(@PathVariable String service) {
        ServiceAssessment assessment = require(service);
        MeasurementView view = assessor.view(assessment);
        return thresholds.of(assessment.profile().id()).stream()
                .filter(rule -> rule.appliesTo(assessment.profile().kind()))
                .map(rule -> ThresholdView.of(rule, thresholds, view))
                .toList();
    }

    @PutMapping("/api/v1/services/{service}/thresholds")
    ThresholdView set(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String service,
            @RequestBody ThresholdRequest request) {
        ServiceAssessment assessment = require(service);
        Condition standard = condition(request.rule(), request.measure());
        double most = thresholds.most(standard.measure());
        Double value = request.value();
        new BodyChecks()
                .that(
                        value != null && Double.isFinite(value) && value >= 0 && value <= most,
                        "value",
                        value,
                        "0 to " + number(most) + ", in the measurement's unit")
                .text("reason", request.reason(), ThresholdOverride.MOST_REASON)
                .orRefuse();
        String id = assessment.profile().id();
        String rule = Objects.requireNonNull(request.rule());
        ThresholdOverride set = new ThresholdOverride(
                id,
                rule,
                standard.measure(),
                Objects.requireNonNull(value),
                Objects.requireNonNull(request.reason()).strip(),
                caller.name(),
                clock.instant().truncatedTo(ChronoUnit.MICROS));
        ThresholdOverride before = thresholds.set(set);
        audit.done(
                caller,
                "threshold.set",
                subject(id, rule, standard.measure()),
                number(before == null ? standard.than() : before.value()),
                number(set.value()) + ": " + set.reason());
        return thresholds.of(id).stream()
                .filter(each -> each.id().equals(rule))
                .map(each -> ThresholdView.of(each, thresholds, assessor.view(assessment)))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Resets to the rule book's threshold. It succeeds also when none was set, so that it can be
     * repeated.
     */
    @DeleteMapping("/api/v1/services/{service}/thresholds")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void reset(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String service,
            @RequestParam String rule,
            @RequestParam String measure) {
        String id = require(service).profile().id();
        Condition standard = condition(rule, measure);
        ThresholdOverride before = thresholds.reset(id, rule, measure);
        if (before != null) {
            audit.done(
                    caller,
                    "threshold.reset",
                    subject(id, rule, measure),
                    number(before.value()),
                    number(standard.than()));
        }
    }

    private ServiceAssessment require(String service) {
        return assessor.find(service).orElseThrow(ProblemException.notFound("service", service));
    }

    private Condition condition(@Nullable String rule, @Nullable String measure) {
        List<Rule> rules = thresholds.ruleSet().rules();
        boolean knownRule = rules.stream().anyMatch(each -> each.id().equals(rule));
        Condition condition = rule == null || measure == null
                ? null
                : thresholds.condition(rule, measure).orElse(null);
        new BodyChecks()
                .that(knownRule, "rule", shown(rule), "the id of a rule")
                .that(
                        !knownRule || condition != null,
                        "measure",
                        shown(measure),
                        "a measurement of that rule")
                .orRefuse();
        return Objects.requireNonNull(condition);
    }

    private static @Nullable String shown(@Nullable String value) {
        return value == null || value.length() <= 60 ? value : value.substring(0, 60) + "…";
    }

    private static String subject(String service, String rule, String measure) {
        return service + " " + rule + " " + measure;
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
