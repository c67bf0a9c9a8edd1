package dev.komainu.central.api.capacity;

import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.guard.GroupGuard;
import dev.komainu.central.api.page.RowId;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.capacity.Capacities;
import dev.komainu.central.capacity.CapacitySettings;
import dev.komainu.central.capacity.CapacityWhatIf;
import dev.komainu.central.capacity.Resource;
import dev.komainu.central.capacity.ServiceCapacity;
import dev.komainu.central.capacity.Upgrade;
import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The capacity of servers: the knee, the forecast, and the effect of upgrades. */
@RestController
class CapacityController {

    private static final double LEAST_FACTOR = 0.05;
    private static final double MOST_FACTOR = 64;

    private final Assessor assessor;
    private final Capacities capacities;
    private final Changes changes;
    private final Audit audit;
    private final GroupGuard guard;

    CapacityController(
            Assessor assessor,
            Capacities capacities,
            Changes changes,
            Audit audit,
            GroupGuard guard) {
        this.assessor = assessor;
        this.capacities = capacities;
        this.changes = changes;
        this.audit = audit;
        this.guard = guard;
    }

    record WhatIfRequest(
            @Nullable Double rate,
            @Nullable Double growthPercent,
            @Nullable Double growthPerDay,
            @Nullable Double cpuFactor,
            @Nullable Double workers,
            @Nullable Double connections,
            @Nullable Double memoryFactor,
            @Nullable Double bandwidthFactor,
            @Nullable Double diskFactor,
            @Nullable Double responseRatio) {

        /**
         * Returns the checked question.
         *
         * @throws ProblemException naming every field that is wrong
         */
        CapacityWhatIf.Question checked(double usualRatio) {
            BodyChecks checks = new BodyChecks();
            range(checks, "rate", rate, 0, 1e8);
            range(checks, "growthPercent", growthPercent, -99, 100_000);
            range(checks, "growthPerDay", growthPerDay, -1e6, 1e6);
            range(checks, "cpuFactor", cpuFactor, LEAST_FACTOR, MOST_FACTOR);
            range(checks, "workers", workers, 1, 1e6);
            range(checks, "connections", connections, 1, 1e8);
            range(checks, "memoryFactor", memoryFactor, LEAST_FACTOR, MOST_FACTOR);
            range(checks, "bandwidthFactor", bandwidthFactor, LEAST_FACTOR, MOST_FACTOR);
            range(checks, "diskFactor", diskFactor, LEAST_FACTOR, MOST_FACTOR);
            range(
                    checks,
                    "responseRatio",
                    responseRatio,
                    CapacitySettings.LEAST_RATIO,
                    CapacitySettings.MOST_RATIO);
            checks.orRefuse();
            Map<Resource, Double> factors = new EnumMap<>(Resource.class);
            put(factors, Resource.CPU, cpuFactor);
            put(factors, Resource.MEMORY, memoryFactor);
            put(factors, Resource.NETWORK, bandwidthFactor);
            put(factors, Resource.DISK, diskFactor);
            return new CapacityWhatIf.Question(
                    rate,
                    growthPercent,
                    growthPerDay,
                    factors,
                    workers,
                    connections,
                    responseRatio == null ? usualRatio : responseRatio);
        }

        private static void put(
                Map<Resource, Double> factors, Resource resource, @Nullable Double factor) {
            if (factor != null) {
                factors.put(resource, factor);
            }
        }

        private static void range(
                BodyChecks checks,
                String field,
                @Nullable Double value,
                double least,
                double most) {
            checks.that(
                    value == null || (value >= least && value <= most),
                    field,
                    value,
                    BigDecimal.valueOf(least).stripTrailingZeros().toPlainString() + " to "
                            + BigDecimal.valueOf(most).stripTrailingZeros().toPlainString());
        }
    }

    record UpgradeRequest(
            @Nullable BigDecimal cost, @Nullable String currency) {

        private static final BigDecimal MOST = new BigDecimal("1000000000000");

        void check() {
            new BodyChecks()
                    .that(
                            cost == null || (cost.signum() >= 0 && cost.compareTo(MOST) <= 0),
                            "cost",
                            cost,
                            "0 to " + MOST)
                    .optionalText("currency", currency, 12)
                    .orRefuse();
        }
    }

    @GetMapping("/api/v1/capacity")
    List<CapacitySummaryView> list() {
        return assessor.latest().services().stream()
                .map(service -> CapacitySummaryView.of(
                        service, capacities.newest(service.profile().id())))
                .sorted(Comparator.comparing(
                                CapacitySummaryView::headroom,
                                Comparator.nullsLast(Comparator.naturalOrder()))
                        .thenComparing(CapacitySummaryView::service))
                .toList();
    }

    @GetMapping("/api/v1/services/{service}/capacity")
    CapacityView capacity(@PathVariable String service) {
        ServiceAssessment assessment = find(service);
        ServiceCapacity capacity = capacities.of(assessment.profile());
        return CapacityView.of(
                CapacitySummaryView.of(assessment, capacity),
                capacity,
                capacities.settings().responseRatio());
    }

    @PostMapping("/api/v1/services/{service}/capacity/what-if")
    WhatIfView whatIf(@PathVariable String service, @RequestBody WhatIfRequest request) {
        ServiceAssessment assessment = find(service);
        CapacityWhatIf.Question question = request.checked(capacities.settings().responseRatio());
        CapacityWhatIf answer =
                CapacityWhatIf.evaluate(capacities.of(assessment.profile()), question);
        if (answer == null) {
            throw new ProblemException(Problem.of(
                    409,
                    "not-enough-data",
                    "Not enough data yet",
                    "service: " + service
                            + " (expected: a service with a known capacity; GET its capacity shows what is"
                            + " missing)"));
        }
        return WhatIfView.of(answer);
    }

    @PutMapping("/api/v1/changes/{id}/upgrade")
    UpgradeView mark(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String id,
            @RequestBody UpgradeRequest request) {
        Change change = change(id);
        guard.require(caller, change.wish().service());
        request.check();
        Upgrade marked = capacities.mark(change, request.cost(), request.currency(), caller.name());
        String cost = request.cost() == null ? null : request.cost().toPlainString();
        audit.done(caller, "upgrade.mark", change.wish().service() + " " + id, null, cost);
        return capacities.upgrades(marked.service()).stream()
                .filter(each -> each.upgrade().changeId() == change.id())
                .map(UpgradeView::of)
                .findFirst()
                .orElseThrow(ProblemException.notFound("upgrade", id));
    }

    @DeleteMapping("/api/v1/changes/{id}/upgrade")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void unmark(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
        Change change = change(id);
        guard.require(caller, change.wish().service());
        String service = capacities
                .unmark(change.id())
                .orElseThrow(ProblemException.notFound("upgrade", id));
        audit.done(caller, "upgrade.unmark", service + " " + id, null, null);
    }

    private Change change(String id) {
        return changes.find(RowId.of("change", id))
                .orElseThrow(ProblemException.notFound("change", id));
    }

    private ServiceAssessment find(String service) {
        return assessor.find(service).orElseThrow(ProblemException.notFound("service", service));
    }
}
