package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.indices.Baseline;
import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import dev.komainu.central.state.Rule;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.ThresholdOverride;
import dev.komainu.central.state.Thresholds;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code RuleThresholds} of the contract: one rule for a service, with all its thresholds. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record ThresholdView(
        String rule,
        ServiceState state,
        int rank,
        LocalizedText cause,
        List<ConditionView> conditions) {

    /**
     * One measurement against its threshold.
     *
     * @param threshold threshold in effect, in the index's unit
     * @param standard threshold of the rule book
     * @param most highest threshold that can be set; the lowest is 0
     * @param learntMillis learnt usual value, for a measurement that is a ratio to it or an excess
     *     over it
     * @param value newest value over the condition's window
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record ConditionView(
            String measure,
            LocalizedText title,
            String unit,
            String comparison,
            int windowSeconds,
            boolean passesUnknown,
            double threshold,
            double standard,
            double most,
            String source,
            @Nullable Double learntMillis,
            @Nullable Double value,
            @Nullable Boolean met,
            @Nullable OverrideView override) {}

    /** The author, reason and time of an override. */
    record OverrideView(double value, String reason, String by, Instant at) {
        static OverrideView of(ThresholdOverride override) {
            return new OverrideView(
                    override.value(), override.reason(), override.by(), override.at());
        }
    }

    /**
     * Returns the view.
     *
     * @param rule rule in effect for the service
     */
    static ThresholdView of(Rule rule, Thresholds thresholds, MeasurementView view) {
        return new ThresholdView(
                rule.id(),
                rule.state(),
                rule.rank(),
                rule.cause(),
                rule.when().stream()
                        .map(condition -> condition(rule.id(), condition, thresholds, view))
                        .toList());
    }

    private static ConditionView condition(
            String rule, Condition condition, Thresholds thresholds, MeasurementView view) {
        String measure = condition.measure();
        double value = view.now(measure, condition.seconds());
        Double measured = Double.isFinite(value) ? Double.valueOf(value) : null;
        return new ConditionView(
                measure,
                view.title(measure),
                view.unit(measure),
                condition.is().sign(),
                condition.seconds(),
                condition.passesUnknown(),
                condition.than(),
                thresholds.condition(rule, measure).map(Condition::than).orElse(condition.than()),
                thresholds.most(measure),
                condition.source(),
                learnt(measure, view.baseline()),
                measured,
                measured == null ? null : condition.compares(measured),
                thresholds
                        .find(view.service(), rule, measure)
                        .map(OverrideView::of)
                        .orElse(null));
    }

    private static @Nullable Double learnt(String measure, Baseline usual) {
        double millis = switch (measure) {
            case "responseRatio", "responseExcessMillis" -> usual.responseMillis();
            case "transferRatio" -> usual.transferMillis();
            case "originResponseRatio",
                    "originResponseP10Ratio",
                    "originSideResponseRatio",
                    "originSideResponseP10Ratio" -> usual.originMillis();
            default -> Double.NaN;
        };
        return usual.ready() && Double.isFinite(millis) ? millis : null;
    }
}
