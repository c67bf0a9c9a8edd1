package dev.komainu.central.verify;

import dev.komainu.central.diagnosis.Diagnosis;
import dev.komainu.central.state.ServiceState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A verification run: the change, the state before it, the compared seconds and the result.
 *
 * @param id ascending with time
 * @param changeId id of the recorded change
 * @param by author of the change, or of the request for the run
 * @param started start of the run
 * @param stateBefore state at the start of the run
 * @param finished end of the run; absent while it runs
 * @param result result of the run; absent while it runs, never altered afterwards
 */
public record Verification(
        long id,
        String service,
        long changeId,
        String by,
        Instant started,
        VerificationPlan plan,
        ServiceState stateBefore,
        @Nullable Instant finished,
        @Nullable Comparison result) {

    public VerificationPlan.Phase phase(Instant now) {
        return result != null ? VerificationPlan.Phase.DONE : plan.phase(now.getEpochSecond());
    }

    /**
     * A run with the diagnosis it started from.
     *
     * @param diagnosis diagnosis at the time of the change, with its evidence and advice; absent
     *     when the service was unknown then
     */
    public record WithDiagnosis(Verification run, @Nullable Diagnosis diagnosis) {}
}
