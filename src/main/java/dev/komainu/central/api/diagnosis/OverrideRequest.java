package dev.komainu.central.api.diagnosis;

import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.diagnosis.Decision;
import dev.komainu.central.diagnosis.Overrides;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** {@code OverrideRequest} of the contract. */
record OverrideRequest(
        @Nullable String verdict,
        @Nullable String reason,
        @Nullable Instant until) {

    /**
     * Returns the checked verdict.
     *
     * @throws dev.komainu.central.api.problem.ProblemException naming every field that is wrong
     */
    Decision.Verdict checked(Instant now) {
        new BodyChecks()
                .that(
                        "yes".equals(verdict) || "no".equals(verdict),
                        "verdict",
                        verdict,
                        "yes or no")
                .text("reason", reason, 2_000)
                .that(
                        until != null
                                && until.isAfter(now)
                                && !until.isAfter(now.plus(Overrides.LONGEST)),
                        "until",
                        until,
                        "a time at most " + Overrides.LONGEST.toDays() + " days from now")
                .orRefuse();
        return "yes".equals(verdict) ? Decision.Verdict.YES : Decision.Verdict.NO;
    }
}
