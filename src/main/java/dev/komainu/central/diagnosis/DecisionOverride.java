package dev.komainu.central.diagnosis;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A user's verdict in place of the measured one, for a limited time.
 *
 * @param node the decision
 * @param verdict {@code yes} or {@code no}
 * @param reason 1 to 2000 characters
 * @param by the user
 * @param until time at which the measured verdict applies again; at most {@link Overrides#LONGEST}
 *     after {@code at}
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record DecisionOverride(
        String node,
        Decision.Verdict verdict,
        String reason,
        String by,
        Instant at,
        Instant until) {}
