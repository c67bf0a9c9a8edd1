package dev.komainu.central.state;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a service at one second, with its cause.
 *
 * @param state state of the first cause
 * @param sinceSecond second at which it was entered, since the epoch
 * @param rule id of the rule or mark that named it
 * @param cause one sentence
 * @param evidence measured evidence, the first cause's first
 * @param otherCauses further states whose rules hold, by falling rank
 * @param certainty how surely the state is the first cause's; absent where nothing is above it
 * @param transition absent when the state did not change
 */
public record Judgement(
        ServiceState state,
        long sinceSecond,
        String rule,
        LocalizedText cause,
        List<Evidence> evidence,
        List<ServiceState> otherCauses,
        @Nullable Certainty certainty,
        @Nullable Transition transition) {

    /** Creates a judgement without a statement about the causes above. */
    public Judgement(
            ServiceState state,
            long sinceSecond,
            String rule,
            LocalizedText cause,
            List<Evidence> evidence,
            List<ServiceState> otherCauses,
            @Nullable Transition transition) {
        this(state, sinceSecond, rule, cause, evidence, otherCauses, null, transition);
    }
}
