package dev.komainu.central.api.incident;

import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.incident.Incident;
import dev.komainu.central.incident.IncidentBoard;
import dev.komainu.central.incident.IncidentTable;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The incidents that last, and those that ended. */
@RestController
class IncidentController {

    private static final MediaType MARKDOWN =
            MediaType.parseMediaType("text/markdown;charset=UTF-8");

    /** Items of a page of ended incidents without a limit. */
    private static final int USUAL = 100;

    private final IncidentBoard board;
    private final IncidentTable table;
    private final IncidentCourse course;
    private final Assessor assessor;
    private final Clock clock;

    IncidentController(
            IncidentBoard board,
            IncidentTable table,
            IncidentCourse course,
            Assessor assessor,
            Clock clock) {
        this.board = board;
        this.table = table;
        this.course = course;
        this.assessor = assessor;
        this.clock = clock;
    }

    /** {@code IncidentDetail} of the contract. */
    record IncidentDetail(Incident incident, List<IncidentEvent> events) {}

    /** Returns the incidents that last, all of them without a limit, or a page of ended ones. */
    @GetMapping("/api/v1/incidents")
    Page<Incident> incidents(
            @RequestParam(defaultValue = "open") String status,
            @RequestParam(required = false) @Nullable String service,
            @RequestParam(required = false) @Nullable Integer limit,
            @RequestParam(required = false) @Nullable String cursor) {
        new BodyChecks()
                .that(Set.of("open", "ended").contains(status), "status", status, "open or ended")
                .orRefuse();
        String member = service == null ? null : assessor.canonical(service);
        int most = Cursor.limit(limit == null ? USUAL : limit);
        if (status.equals("open")) {
            return Page.sliceIfAsked(
                    board.open().stream()
                            .filter(each -> member == null || each.member(member) != null)
                            .toList(),
                    limit,
                    cursor);
        }
        List<IncidentTable.Row> rows =
                table.ended(member, Cursor.decodeNumber(cursor, Long.MAX_VALUE), most + 1);
        return Page.of(rows, most, row -> Long.toString(row.position()))
                .map(IncidentTable.Row::incident);
    }

    @GetMapping("/api/v1/incidents/{id}")
    IncidentDetail incident(@PathVariable String id) {
        Incident incident = require(id);
        return new IncidentDetail(incident, course.of(incident));
    }

    @GetMapping("/api/v1/incidents/{id}/report")
    ResponseEntity<String> report(@PathVariable String id) {
        Incident incident = require(id);
        return ResponseEntity.ok()
                .contentType(MARKDOWN)
                .body(IncidentReport.of(incident, course.of(incident), clock.instant()));
    }

    /** An incident that lasts is newer on the board than in the table. */
    private Incident require(String id) {
        return board.open().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .or(() -> table.find(id))
                .orElseThrow(ProblemException.notFound("incident", id));
    }
}
