package dev.komainu.central.api.service;

import dev.komainu.central.api.page.QueryRange;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.indices.IndexDefinition;
import dev.komainu.central.indices.SeriesReader;
import dev.komainu.central.limit.RequestLimit;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.StateHistory;
import dev.komainu.central.state.Transition;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The indices over time, with the states and the changes of the same period. */
@RestController
class SeriesController {

    private static final int USUAL_SECONDS = 900;
    private static final int USUAL_POINTS = 300;

    private final Assessor assessor;
    private final SeriesReader reader;
    private final IndexCatalogue catalogue;
    private final StateHistory history;
    private final Changes changes;
    private final Clock clock;

    SeriesController(
            Assessor assessor,
            SeriesReader reader,
            IndexCatalogue catalogue,
            StateHistory history,
            Changes changes,
            Clock clock) {
        this.assessor = assessor;
        this.reader = reader;
        this.catalogue = catalogue;
        this.history = history;
        this.changes = changes;
        this.clock = clock;
    }

    @GetMapping("/api/v1/services/{service}/series")
    SeriesView series(
            @PathVariable String service,
            @RequestParam(required = false) @Nullable Instant from,
            @RequestParam(required = false) @Nullable Instant to,
            @RequestParam(defaultValue = "0") int stepSeconds,
            @RequestParam(required = false) @Nullable List<String> index) {
        ServiceAssessment assessment =
                assessor.find(service).orElseThrow(ProblemException.notFound("service", service));
        Instant end = to == null ? clock.instant() : to;
        Instant start = from == null ? end.minusSeconds(USUAL_SECONDS) : from;
        if (start.getEpochSecond() >= end.getEpochSecond()) {
            throw ProblemException.invalidField("from", start, "at least one second before " + end);
        }
        QueryRange.check(start, end);
        if (stepSeconds < 0 || stepSeconds > 86_400) {
            throw ProblemException.invalidField("stepSeconds", stepSeconds, "0 to 86400");
        }
        long seconds = end.getEpochSecond() - start.getEpochSecond();
        long now = clock.millis() / 1_000;
        boolean reachesBack = reader.reachesBack(start.getEpochSecond(), now);
        int wished = stepSeconds > 0
                ? stepSeconds
                : (int) Math.max(1, (seconds + USUAL_POINTS - 1) / USUAL_POINTS);
        int step = reachesBack
                ? reader.storedStep(start.getEpochSecond(), end.getEpochSecond(), wished)
                : wished;
        if (seconds / step > RequestLimit.SERIES_POINTS.value()) {
            throw ProblemException.invalidField(
                    "stepSeconds",
                    stepSeconds,
                    "at least " + (seconds / RequestLimit.SERIES_POINTS.value() + 1)
                            + " for a range of this length");
        }
        List<String> names = index == null || index.isEmpty()
                ? catalogue.all().stream().map(IndexDefinition::name).toList()
                : index;
        if (seconds / step * names.size() > RequestLimit.SERIES_VALUES.value()) {
            throw ProblemException.invalidField(
                    "index",
                    names.size() + " indices",
                    "at most " + RequestLimit.SERIES_VALUES.value() + " steps × indices");
        }
        for (String name : names) {
            if (!catalogue.contains(name)) {
                throw ProblemException.invalidField("index", name, "a name from /api/v1/indices");
            }
        }
        SeriesReader.Columns columns = reader.read(
                assessment.profile(),
                start.getEpochSecond(),
                end.getEpochSecond(),
                step,
                names,
                index == null,
                now);
        String id = assessment.profile().id();
        return new SeriesView(
                id,
                step,
                columns.times(),
                columns.columns(),
                columns.underLoss(),
                states(id, start, end),
                marks(id, start, end));
    }

    private List<SeriesView.Span> states(String id, Instant start, Instant end) {
        List<SeriesView.Span> spans = new ArrayList<>();
        Transition earlier = history.before(id, start.getEpochSecond());
        ServiceState state = earlier == null ? null : earlier.to();
        Instant since = start;
        for (Transition transition :
                history.between(id, start.getEpochSecond(), end.getEpochSecond())) {
            Instant at = Instant.ofEpochSecond(transition.atSecond());
            if (state != null) {
                spans.add(new SeriesView.Span(since, at, state));
            }
            state = transition.to();
            since = at;
        }
        if (state != null) {
            spans.add(new SeriesView.Span(since, null, state));
        }
        return spans;
    }

    private List<SeriesView.Mark> marks(String id, Instant start, Instant end) {
        List<SeriesView.Mark> marks = new ArrayList<>();
        for (Change change : changes.between(id, start, end)) {
            marks.add(new SeriesView.Mark(
                    change.at(),
                    change.isNote() ? "note" : "change",
                    change.wish().title()));
        }
        for (Transition transition :
                history.between(id, start.getEpochSecond(), end.getEpochSecond())) {
            if (transition.to() == ServiceState.STOPPED_RESTARTING) {
                marks.add(new SeriesView.Mark(
                        Instant.ofEpochSecond(transition.atSecond()),
                        "restart",
                        transition.cause().en()));
            }
        }
        return marks;
    }
}
