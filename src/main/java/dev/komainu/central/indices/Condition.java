package dev.komainu.central.indices;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One measurement compared with one threshold, as rules and decisions write it.
 *
 * @param measure name of the index
 * @param over seconds it is measured over; absent: five
 * @param is comparison
 * @param than threshold, in the index's unit
 * @param source origin of the threshold: thesis section, RFC, server documentation, {@code own}
 * @param unknown the result for a value that cannot be measured: {@code fail} (the default) or
 *     {@code pass}
 */
public record Condition(
        String measure,
        @Nullable Integer over,
        Comparison is,
        double than,
        String source,
        @Nullable Unknown unknown) {

    /**
     * Seconds of a condition that does not name its window: long enough to smooth, short enough to
     * be prompt.
     */
    public static final int USUAL_SECONDS = 5;

    /** The comparison of a value with its threshold. */
    public enum Comparison {
        @JsonProperty(">")
        ABOVE(">", ">"),
        @JsonProperty(">=")
        AT_LEAST(">=", "≥"),
        @JsonProperty("<")
        BELOW("<", "<"),
        @JsonProperty("<=")
        AT_MOST("<=", "≤");

        private final String sign;
        private final String printed;

        Comparison(String sign, String printed) {
            this.sign = sign;
            this.printed = printed;
        }

        @JsonValue
        public String sign() {
            return sign;
        }

        /** Returns the sign for use in sentences. */
        public String printed() {
            return printed;
        }
    }

    /** The result of a condition whose value is unknown. */
    public enum Unknown {
        FAIL,
        PASS
    }

    /** Returns the same condition with another threshold. */
    public Condition against(double other, String otherSource) {
        return new Condition(measure, over, is, other, otherSource, unknown);
    }

    /** Returns the seconds that the condition is measured over. */
    public int seconds() {
        return over == null ? USUAL_SECONDS : over;
    }

    public boolean passesUnknown() {
        return unknown == Unknown.PASS;
    }

    /** Reports whether the condition holds for the seconds up to {@code end}. */
    public boolean holds(MeasurementView view, long end) {
        double value = view.at(measure, end, seconds());
        return Double.isNaN(value) ? passesUnknown() : compares(value);
    }

    public boolean compares(double value) {
        return switch (is) {
            case ABOVE -> value > than;
            case AT_LEAST -> value >= than;
            case BELOW -> value < than;
            case AT_MOST -> value <= than;
        };
    }

    /**
     * Adds the mistakes of this condition to {@code mistakes}; {@code where} names the rule or
     * decision that contains it.
     */
    public void check(String where, IndexCatalogue catalogue, List<String> mistakes) {
        if (!catalogue.contains(measure)) {
            mistakes.add(where + ": " + measure + " (expected: the name of an index)");
        }
        if (over != null && (over < 1 || over > 600)) {
            mistakes.add(where + ": over: " + over + " (expected: 1 to 600 seconds)");
        }
        if (source.isBlank()) {
            mistakes.add(where + ": " + measure
                    + " has no source (expected: the origin of its threshold)");
        }
    }
}
