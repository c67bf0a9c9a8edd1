package dev.komainu.central.diagnosis;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One decision of a walk, answered or open.
 *
 * @param confidence absent for an unknown
 * @param missing collector that would supply the evidence; only for an unknown
 * @param override a user's verdict in place of the measured one; only for an overridden
 * @param measured the measured verdict; only for an overridden
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Decision(
        String node,
        Verdict verdict,
        @Nullable Level confidence,
        List<LocalizedText> confidenceReasons,
        List<Evidence> evidence,
        List<Flowchart.Missing> missing,
        @Nullable DecisionOverride override,
        @Nullable Verdict measured) {

    /** Creates a measured decision without an override. */
    Decision(
            String node,
            Verdict verdict,
            @Nullable Level confidence,
            List<LocalizedText> confidenceReasons,
            List<Evidence> evidence,
            List<Flowchart.Missing> missing) {
        this(node, verdict, confidence, confidenceReasons, evidence, missing, null, null);
    }

    /** Returns the same evidence with a user's verdict. */
    Decision under(DecisionOverride answer) {
        return new Decision(
                node,
                Verdict.OVERRIDDEN,
                confidence,
                confidenceReasons,
                evidence,
                missing,
                answer,
                verdict);
    }

    /** Returns the verdict that the walk follows: yes, no or unknown. */
    Verdict leading() {
        return override == null ? verdict : override.verdict();
    }

    /** The result of a decision. */
    public enum Verdict {
        YES,
        NO,
        UNKNOWN,
        OVERRIDDEN;

        @JsonValue
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The level of confidence. */
    public enum Level {
        HIGH,
        MEDIUM,
        LOW;

        @JsonValue
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
