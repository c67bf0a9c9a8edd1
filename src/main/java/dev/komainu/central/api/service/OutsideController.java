package dev.komainu.central.api.service;

import dev.komainu.central.api.page.QueryRange;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.Fleet;
import dev.komainu.central.fleet.OriginSide;
import dev.komainu.central.fleet.ServiceProfile;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.TimeRange;
import dev.komainu.central.store.WindowStep;
import dev.komainu.telemetry.record.ServiceWindow;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * A service from outside: both sides of a proxy, its log compared with its packets, response time
 * by transfer time.
 */
@RestController
class OutsideController {

    private static final int USUAL_SECONDS = 900;
    private static final int STEPS = 100;
    private static final int SHORTEST_SECONDS = 10;

    private final Assessor assessor;
    private final LiveIndices live;
    private final RecordStore store;
    private final Fleet fleet;
    private final Clock clock;

    OutsideController(
            Assessor assessor, LiveIndices live, RecordStore store, Fleet fleet, Clock clock) {
        this.assessor = assessor;
        this.live = live;
        this.store = store;
        this.fleet = fleet;
        this.clock = clock;
    }

    @GetMapping("/api/v1/services/{service}/outside")
    OutsideView outside(
            @PathVariable String service, @RequestParam(defaultValue = "60") int seconds) {
        if (seconds < 1 || seconds > LiveIndices.RING_SECONDS) {
            throw ProblemException.invalidField(
                    "seconds", seconds, "1 to " + LiveIndices.RING_SECONDS);
        }
        ServiceAssessment assessment = find(service);
        ServiceProfile profile = assessment.profile();
        String originSide = OriginSide.of(profile.id());
        return OutsideView.of(
                profile.id(),
                fleet.service(originSide) == null ? null : originSide,
                assessment.second(),
                live.bothSides(profile.id(), assessment.second(), seconds));
    }

    @GetMapping("/api/v1/services/{service}/response-transfer")
    ResponseTransferView responseTransfer(
            @PathVariable String service,
            @RequestParam(required = false) @Nullable Instant from,
            @RequestParam(required = false) @Nullable Instant to) {
        String id = find(service).profile().id();
        Instant end = to == null ? clock.instant() : to;
        Instant start = from == null ? end.minusSeconds(USUAL_SECONDS) : from;
        if (!start.isBefore(end)) {
            throw ProblemException.invalidField("from", start, "an instant before " + end);
        }
        QueryRange.check(start, end);
        TimeRange range = TimeRange.of(start, end);
        long wished = Math.max(SHORTEST_SECONDS, Duration.between(start, end).toSeconds() / STEPS);
        Duration step = store.fittingStep(range, Duration.ofSeconds(wished));
        List<WindowStep<ServiceWindow>> windows =
                store.serviceWindows(List.copyOf(fleet.names(id)), range, step);
        return ResponseTransferView.of(
                id, start, end, windows.stream().map(WindowStep::total).toList());
    }

    private ServiceAssessment find(String service) {
        return assessor.find(service).orElseThrow(ProblemException.notFound("service", service));
    }
}
