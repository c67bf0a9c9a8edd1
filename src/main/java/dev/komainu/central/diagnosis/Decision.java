package dev.komainu.central.diagnosis;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One answered, or open, question of a walk.
 *
 * @param confidence absent for an unknown
 * @param missing what would supply the evidence; only for an unknown
 * @param override a person's answer in place of the measured one; only for an overridden
 * @param measured what the evidence says all the same; only for an overridden
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

    /** A measured answer without an override. */
    Decision(
            String node,
            Verdict verdict,
            @Nullable Level confidence,
            List<LocalizedText> confidenceReasons,
            List<Evidence> evidence,
            List<Flowchart.Missing> missing) {
        this(node, verdict, confidence, confidenceReasons, evidence, missing, null, null);
    }

    /** The same evidence under a person's answer. */
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

    /** The answer that leads on: yes, no or unknown. */
    Verdict leading() {
        return override == null ? verdict : override.verdict();
    }

    /** The answer. */
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

    /** The confidence by the evidence. */
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
