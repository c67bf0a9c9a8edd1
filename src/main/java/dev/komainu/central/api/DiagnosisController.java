package dev.komainu.central.api;

import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.api.view.FlowchartView;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.diagnosis.Diagnosis;
import dev.komainu.central.diagnosis.DiagnosisArchive;
import dev.komainu.central.diagnosis.Diagnostician;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The flowchart, walked now or kept. */
@RestController
class DiagnosisController {

    private final Assessor assessor;
    private final Diagnostician diagnostician;
    private final DiagnosisArchive archive;
    private final Audit audit;
    private final Clock clock;

    DiagnosisController(
            Assessor assessor, Diagnostician diagnostician, DiagnosisArchive archive, Audit audit, Clock clock) {
        this.assessor = assessor;
        this.diagnostician = diagnostician;
        this.archive = archive;
        this.audit = audit;
        this.clock = clock;
    }

    @GetMapping("/api/v1/services/{service}/diagnosis")
    Diagnosis diagnosis(@PathVariable String service) {
        return walk(service);
    }

    @PostMapping("/api/v1/services/{service}/diagnosis")
    ResponseEntity<Diagnosis> keep(@PathVariable String service, @AuthenticationPrincipal Caller caller) {
        Diagnosis kept = archive.keep(walk(service), caller.name());
        audit.done(caller, "diagnosis.run", kept.service(), null, "diagnosis " + kept.id());
        return ResponseEntity.created(URI.create("/api/v1/diagnoses/" + kept.id()))
                .body(kept);
    }

    @GetMapping("/api/v1/diagnoses")
    Page<Diagnosis> list(
            @RequestParam(required = false) @Nullable String service,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        List<Diagnosis> found = archive.list(
                service == null ? null : assessor.canonical(service),
                Cursor.decodeNumber(cursor, Long.MAX_VALUE),
                Cursor.limit(limit) + 1);
        return Page.of(found, limit, diagnosis -> String.valueOf(diagnosis.id()));
    }

    @GetMapping("/api/v1/diagnoses/{id}")
    Diagnosis kept(@PathVariable String id) {
        try {
            return archive.find(Long.parseLong(id)).orElseThrow(ProblemException.notFound("diagnosis", id));
        } catch (NumberFormatException e) {
            throw ProblemException.notFound("diagnosis", id).get();
        }
    }

    @GetMapping("/api/v1/flowchart")
    FlowchartView flowchart() {
        return FlowchartView.of(diagnostician.flowchart());
    }

    private Diagnosis walk(String service) {
        ServiceAssessment found = assessor.find(service).orElseThrow(ProblemException.notFound("service", service));
        return diagnostician.diagnose(found.profile(), found.judgement(), assessor.view(found), clock.instant());
    }
}
