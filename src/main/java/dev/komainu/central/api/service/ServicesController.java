package dev.komainu.central.api.service;

import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.api.page.QueryRange;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.change.Changes;
import dev.komainu.central.diagnosis.ArchitectureDetection;
import dev.komainu.central.fleet.FleetQuotas;
import dev.komainu.central.incident.IncidentBoard;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.IndexDefinition;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.state.StateHistory;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The watched services, their states and their sources, read from the newest assessment. */
@RestController
class ServicesController {

    private static final long DAY_SECONDS = 86_400;

    private final Assessor assessor;
    private final StateHistory history;
    private final Changes changes;
    private final FleetQuotas quotas;
    private final LiveIndices live;
    private final IndexCatalogue catalogue;
    private final IncidentBoard incidents;
    private final Clock clock;

    ServicesController(
            Assessor assessor,
            StateHistory history,
            Changes changes,
            FleetQuotas quotas,
            LiveIndices live,
            IndexCatalogue catalogue,
            IncidentBoard incidents,
            Clock clock) {
        this.assessor = assessor;
        this.history = history;
        this.changes = changes;
        this.quotas = quotas;
        this.live = live;
        this.catalogue = catalogue;
        this.incidents = incidents;
        this.clock = clock;
    }

    @GetMapping("/api/v1/overview")
    OverviewView overview() {
        return OverviewView.of(
                assessor.latest(),
                incidents.open(),
                history.list(null, 0, Long.MAX_VALUE, Long.MAX_VALUE, OverviewView.RECENT),
                changes.list(null, Long.MAX_VALUE, OverviewView.RECENT),
                quotas.refused());
    }

    @GetMapping("/api/v1/services")
    Page<ServiceView> services(
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        List<ServiceAssessment> all = assessor.latest().services();
        int from = (int) Math.clamp(Cursor.decodeNumber(cursor, 0), 0, all.size());
        int to = Math.min(all.size(), from + Cursor.limit(limit));
        List<ServiceView> items =
                all.subList(from, to).stream().map(ServiceView::of).toList();
        return new Page<>(items, to < all.size() ? Cursor.encode(Integer.toString(to)) : null);
    }

    @GetMapping("/api/v1/services/{service}")
    ServiceDetailView service(@PathVariable String service) {
        ServiceAssessment assessment =
                assessor.find(service).orElseThrow(ProblemException.notFound("service", service));
        String id = assessment.profile().id();
        long now = clock.millis() / 1_000;
        return ServiceDetailView.of(
                assessment,
                history.secondsIn(id, now - DAY_SECONDS, now),
                history.counts(id, now - DAY_SECONDS),
                assessor.unobservable(assessment),
                live.newestSample(assessment.profile().node()),
                ArchitectureDetection.of(assessment.profile(), assessor.view(assessment)));
    }

    @GetMapping("/api/v1/services/{service}/transitions")
    Page<TransitionView> transitions(
            @PathVariable String service,
            @RequestParam(required = false) @Nullable Instant from,
            @RequestParam(required = false) @Nullable Instant to,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        String id = assessor.canonical(service);
        Instant end = to == null ? clock.instant() : to;
        Instant start = from == null ? end.minusSeconds(DAY_SECONDS) : from;
        QueryRange.check(start, end);
        List<StateHistory.Kept> rows = history.list(
                id,
                start.getEpochSecond(),
                end.getEpochSecond(),
                Cursor.decodeNumber(cursor, Long.MAX_VALUE),
                Cursor.limit(limit) + 1);
        return Page.of(rows, limit, kept -> Long.toString(kept.id()))
                .map(kept -> TransitionView.of(kept.transition()));
    }

    @GetMapping("/api/v1/indices")
    List<IndexDefinition> indices() {
        return catalogue.all();
    }

    @GetMapping("/api/v1/sources")
    List<SourceView> sources() {
        return assessor.latest().sources().stream().map(SourceView::of).toList();
    }
}
