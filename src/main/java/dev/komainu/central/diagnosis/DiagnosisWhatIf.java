package dev.komainu.central.diagnosis;

import dev.komainu.central.indices.Condition;
import java.util.List;
import java.util.Map;

/**
 * Hypothetical thresholds and verdicts for one walk only; they are not stored.
 *
 * @param thresholds in place of the flowchart's own
 * @param answers yes or no by decision, as if it were overridden
 */
public record DiagnosisWhatIf(List<Threshold> thresholds, Map<String, Decision.Verdict> answers) {

    /** The instance without hypothetical values. */
    public static final DiagnosisWhatIf NOTHING = new DiagnosisWhatIf(List.of(), Map.of());

    public DiagnosisWhatIf {
        thresholds = List.copyOf(thresholds);
        answers = Map.copyOf(answers);
    }

    /**
     * A hypothetical threshold.
     *
     * @param threshold in the measurement's unit
     */
    public record Threshold(String node, String measurement, double threshold) {}

    /** Returns the condition with its hypothetical threshold, or unchanged. */
    Condition on(String node, Condition condition) {
        for (Threshold supposed : thresholds) {
            if (supposed.node().equals(node)
                    && supposed.measurement().equals(condition.measure())) {
                return condition.against(supposed.threshold(), "what if");
            }
        }
        return condition;
    }
}
