package dev.komainu.central.incident;

import dev.komainu.central.assessment.Assessor;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.capacity.Capacities;
import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import dev.komainu.central.diagnosis.Diagnosis;
import dev.komainu.central.diagnosis.DiagnosisWhatIf;
import dev.komainu.central.diagnosis.Diagnostician;
import dev.komainu.central.diagnosis.FailureClues;
import dev.komainu.central.diagnosis.Overrides;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The diagnosis of a service as it is assessed now. Any thread. */
@Component
public class CurrentDiagnosis {

    private final Assessor assessor;
    private final Diagnostician diagnostician;
    private final Overrides overrides;
    /** Newest changes and notes that are read for the newest change. */
    private static final int NEWEST_CHANGES = 20;

    private final Changes changes;
    private final Capacities capacities;
    private final Clock clock;

    public CurrentDiagnosis(
            Assessor assessor,
            Diagnostician diagnostician,
            Overrides overrides,
            Changes changes,
            Capacities capacities,
            Clock clock) {
        this.assessor = assessor;
        this.diagnostician = diagnostician;
        this.overrides = overrides;
        this.changes = changes;
        this.capacities = capacities;
        this.clock = clock;
    }

    /** Walks the flowchart; nothing is stored. */
    public Diagnosis of(ServiceAssessment assessment, DiagnosisWhatIf whatIf) {
        String service = assessment.profile().id();
        return diagnostician.diagnose(
                assessment.profile(),
                assessment.judgement(),
                assessor.view(assessment),
                clock.instant(),
                overrides.active(service),
                whatIf,
                lastChange(service),
                CapacityFigures.of(
                        capacities.newest(service), capacities.settings().responseRatio()));
    }

    private FailureClues.@Nullable LastChange lastChange(String service) {
        List<Change> newest = changes.list(service, Long.MAX_VALUE, NEWEST_CHANGES).stream()
                .filter(change -> !change.isNote())
                .toList();
        if (newest.isEmpty()) {
            return null;
        }
        Change change = newest.getFirst();
        return new FailureClues.LastChange(change.at(), change.wish().title(), change.by());
    }
}
