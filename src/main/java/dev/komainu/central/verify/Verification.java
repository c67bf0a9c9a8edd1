package dev.komainu.central.verify;

import dev.komainu.central.diagnosis.Diagnosis;
import dev.komainu.central.state.ServiceState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One run: which change, what was found before it, which seconds are compared, and in the end what
 * came of it.
 *
 * @param id ascending with time
 * @param changeId the recorded change
 * @param by who made the change, or asked for the run
 * @param started when the run began
 * @param stateBefore what the state model said then
 * @param finished absent while it runs
 * @param result absent while it runs; never altered afterwards
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
     * With everything it rests on.
     *
     * @param diagnosis what the flowchart said when the change was made, with its evidence and
     *     advice; absent when the service was not known then
     */
    public record Whole(Verification run, @Nullable Diagnosis diagnosis) {}
}
