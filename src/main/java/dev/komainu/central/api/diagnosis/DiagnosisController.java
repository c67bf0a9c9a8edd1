package dev.komainu.central.api.diagnosis;

import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.api.page.Cursor;
import dev.komainu.central.api.page.Page;
import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.diagnosis.Decision;
import dev.komainu.central.diagnosis.DecisionOverride;
import dev.komainu.central.diagnosis.Diagnosis;
import dev.komainu.central.diagnosis.DiagnosisArchive;
import dev.komainu.central.diagnosis.DiagnosisWhatIf;
import dev.komainu.central.diagnosis.Diagnostician;
import dev.komainu.central.diagnosis.Flowchart;
import dev.komainu.central.diagnosis.Overrides;
import dev.komainu.central.incident.CurrentDiagnosis;
import java.net.URI;
import java.time.Clock;
import java.time.Instant;
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
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The diagnoses by the flowchart, new and stored. */
@RestController
class DiagnosisController {

    private final Assessor assessor;
    private final Diagnostician diagnostician;
    private final DiagnosisArchive archive;
    private final Overrides overrides;
    private final CurrentDiagnosis current;
    private final Audit audit;
    private final Clock clock;

    DiagnosisController(
            Assessor assessor,
            Diagnostician diagnostician,
            DiagnosisArchive archive,
            Overrides overrides,
            CurrentDiagnosis current,
            Audit audit,
            Clock clock) {
        this.assessor = assessor;
        this.diagnostician = diagnostician;
        this.archive = archive;
        this.overrides = overrides;
        this.current = current;
        this.audit = audit;
        this.clock = clock;
    }

    @GetMapping("/api/v1/services/{service}/diagnosis")
    Diagnosis diagnosis(@PathVariable String service) {
        return walk(service, DiagnosisWhatIf.NOTHING);
    }

    @PostMapping("/api/v1/services/{service}/diagnosis/what-if")
    Diagnosis whatIf(@PathVariable String service, @RequestBody WhatIfRequest request) {
        return walk(service, request.checked(diagnostician.flowchart()));
    }

    @GetMapping("/api/v1/services/{service}/overrides")
    List<DecisionOverride> overrides(@PathVariable String service) {
        return overrides.active(assessor.canonical(service));
    }

    @PutMapping("/api/v1/services/{service}/overrides/{node}")
    DecisionOverride override(
            @PathVariable String service,
            @PathVariable String node,
            @AuthenticationPrincipal Caller caller,
            @RequestBody OverrideRequest request) {
        require(service);
        decision(node);
        Instant now = clock.instant();
        Decision.Verdict verdict = request.checked(now);
        String id = assessor.canonical(service);
        DecisionOverride put = overrides.put(
                id,
                node,
                verdict,
                Objects.requireNonNull(request.reason()),
                caller.name(),
                Objects.requireNonNull(request.until()));
        audit.done(
                caller,
                "diagnosis.override",
                id + " " + node,
                null,
                verdict.label() + " until " + put.until() + ": " + put.reason());
        return put;
    }

    @DeleteMapping("/api/v1/services/{service}/overrides/{node}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void endOverride(
            @PathVariable String service,
            @PathVariable String node,
            @AuthenticationPrincipal Caller caller) {
        String id = assessor.canonical(service);
        if (!overrides.end(id, node, caller.name())) {
            throw ProblemException.notFound("override", node).get();
        }
        audit.done(caller, "diagnosis.override-end", id + " " + node);
    }

    @PostMapping("/api/v1/services/{service}/diagnosis")
    ResponseEntity<Diagnosis> keep(
            @PathVariable String service, @AuthenticationPrincipal Caller caller) {
        Diagnosis stored = archive.keep(walk(service, DiagnosisWhatIf.NOTHING), caller.name());
        audit.done(caller, "diagnosis.run", stored.service(), null, "diagnosis " + stored.id());
        return ResponseEntity.created(URI.create("/api/v1/diagnoses/" + stored.id()))
                .body(stored);
    }

    @GetMapping("/api/v1/diagnoses")
    Page<Diagnosis> list(
            @RequestParam(required = false) @Nullable String service,
            @RequestParam(required = false) @Nullable Instant enteredBy,
            @RequestParam(defaultValue = "100") int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        List<Diagnosis> rows = archive.list(
                service == null ? null : assessor.canonical(service),
                enteredBy,
                Cursor.decodeNumber(cursor, Long.MAX_VALUE),
                Cursor.limit(limit) + 1);
        return Page.of(rows, limit, diagnosis -> String.valueOf(diagnosis.id()));
    }

    @GetMapping("/api/v1/diagnoses/{id}")
    Diagnosis stored(@PathVariable String id) {
        return archive.find(id).orElseThrow(ProblemException.notFound("diagnosis", id));
    }

    @GetMapping("/api/v1/flowchart")
    FlowchartView flowchart() {
        return FlowchartView.of(diagnostician.flowchart());
    }

    private Diagnosis walk(String service, DiagnosisWhatIf whatIf) {
        return current.of(require(service), whatIf);
    }

    private ServiceAssessment require(String service) {
        return assessor.find(service).orElseThrow(ProblemException.notFound("service", service));
    }

    private void decision(String node) {
        boolean known = diagnostician.flowchart().nodes().stream()
                .anyMatch(each -> each.id().equals(node) && each.kind() == Flowchart.Kind.DECISION);
        if (!known) {
            throw ProblemException.notFound("decision", node).get();
        }
    }
}
