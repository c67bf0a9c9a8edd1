package dev.komainu.central.diagnosis;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;

/**
 * A person's answer in place of what was measured, for a while.
 *
 * @param node the decision
 * @param verdict {@code yes} or {@code no}
 * @param reason why, 1 to 2000 characters
 * @param by who gave it
 * @param until when the measured answer counts again; at most {@link Overrides#LONGEST} after
 *     {@code at}
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record DecisionOverride(
        String node,
        Decision.Verdict verdict,
        String reason,
        String by,
        Instant at,
        Instant until) {}
