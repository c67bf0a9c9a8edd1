package dev.komainu.central.api.service;

import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Members;
import dev.komainu.central.api.page.Ordering;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.api.page.QueryRange;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.diagnosis.ArchitectureDetection;
import dev.komainu.central.fleet.FleetQuotas;
import dev.komainu.central.incident.IncidentBoard;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.IndexDefinition;
import dev.komainu.central.indices.LiveIndices;
import dev.komainu.central.state.StateHistory;
import dev.komainu.central.union.ServiceUnions;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/** The watched services, their states and their sources, read from the newest assessment. */
@RestController
class ServicesController {

    private static final long DAY_SECONDS = 86_400;

    private static final Ordering<ServiceAssessment> ORDERING = new Ordering<ServiceAssessment>()
            .by("id", service -> service.profile().id())
            .by("name", service -> service.profile().name())
            .by("kind", service -> ServiceView.kindOf(service.profile()))
            .by("node", service -> service.profile().node())
            .by("state", service -> service.judgement().state().severity())
            .by("since", service -> service.judgement().sinceSecond())
            .by("arrivalPerSecond", service -> service.summary().arrivalPerSecond())
            .by("processedPerSecond", service -> service.summary().processedPerSecond())
            .by("errorsPerSecond", service -> service.summary().errorsPerSecond())
            .by("concurrent", service -> service.summary().concurrent())
            .by("responseP50Millis", service -> service.summary().responseP50Millis())
            .by("responseP95Millis", service -> service.summary().responseP95Millis())
            .by("trafficBytesPerSecond", service -> service.summary().trafficBytesPerSecond())
            .by("hitRatio", service -> service.summary().hitRatio());

    private final Assessor assessor;
    private final StateHistory history;
    private final RecentEvents recent;
    private final FleetQuotas quotas;
    private final LiveIndices live;
    private final IndexCatalogue catalogue;
    private final IncidentBoard incidents;
    private final FleetRows rows;
    private final ServiceUnions unions;
    private final ReportingCredentials credentials;
    private final Clock clock;
    private final JsonMapper mapper;

    ServicesController(
            Assessor assessor,
            StateHistory history,
            RecentEvents recent,
            FleetQuotas quotas,
            LiveIndices live,
            IndexCatalogue catalogue,
            IncidentBoard incidents,
            FleetRows rows,
            ServiceUnions unions,
            ReportingCredentials credentials,
            Clock clock,
            JsonMapper mapper) {
        this.assessor = assessor;
        this.history = history;
        this.recent = recent;
        this.quotas = quotas;
        this.live = live;
        this.catalogue = catalogue;
        this.incidents = incidents;
        this.rows = rows;
        this.unions = unions;
        this.credentials = credentials;
        this.clock = clock;
        this.mapper = mapper;
    }

    @GetMapping("/api/v1/overview")
    OverviewView overview() {
        return OverviewView.of(
                assessor.latest(), incidents.open(), recent.read(), quotas.refused(), credentials);
    }

    /** Returns what a new subscriber of the topic {@code services} gets. */
    @GetMapping("/api/v1/overview/rows")
    FleetUpdate rows() {
        return rows.whole();
    }

    @GetMapping("/api/v1/services")
    Page<Object> services(
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor,
            @RequestParam(required = false) @Nullable List<String> state,
            @RequestParam(required = false) @Nullable List<String> kind,
            @RequestParam(required = false) @Nullable String label,
            @RequestParam(required = false) @Nullable String text,
            @RequestParam(required = false) @Nullable String sort,
            @RequestParam(required = false) @Nullable List<String> fields) {
        Members members = Members.of(fields, ServiceView.class, mapper);
        ServiceFilter filter = ServiceFilter.of(state, kind, label, text);
        List<ServiceAssessment> all = ORDERING.sorted(
                assessor.latest().services().stream().filter(filter::accepts).toList(), sort);
        return Page.slice(all, limit, cursor).map(service -> members.of(ServiceView.of(service)));
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
                unions.views(id),
                assessor.unobservable(assessment),
                live.newestSample(assessment.profile().node()),
                live.partFaults(assessment.profile().node()),
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
        return assessor.latest().sources().stream()
                .map(source -> SourceView.of(source, credentials))
                .toList();
    }
}
