package dev.komainu.central.diagnosis;

import dev.komainu.central.indices.Condition;
import dev.komainu.central.indices.IndexReading;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.indices.MeasurementView;
import java.util.ArrayList;
import java.util.List;

/**
 * The confidence of a decision, computed, with its reasons: complete window, enough samples, direct
 * counter, value at least 20 % from its threshold, capture drops below 0.1 %. All met: high; one
 * missing: medium; more: low.
 */
final class Confidence {

    private static final double COMPLETE = 0.9;
    private static final long ENOUGH_SAMPLES = 3;
    private static final double CLEAR = 0.2;
    private static final double LOSS = 0.001;

    private final MeasurementView view;
    private final List<LocalizedText> reasons = new ArrayList<>();

    Confidence(MeasurementView view) {
        this.view = view;
    }

    /** Evaluates the measurements that led to a decision. */
    Decision.Level weigh(List<Condition> conditions) {
        boolean incomplete = false;
        boolean few = false;
        boolean derived = false;
        boolean close = false;
        for (Condition condition : conditions) {
            IndexReading reading = view.read(condition.measure(), condition.seconds());
            Double value = reading.value();
            if (value == null) {
                continue;
            }
            incomplete |= reading.present() < COMPLETE * reading.seconds();
            few |= reading.samples() < ENOUGH_SAMPLES;
            String paper = reading.index().paper();
            derived |= paper != null && paper.startsWith("own, on");
            double far = condition.than() == 0
                    ? 1
                    : Math.abs(value - condition.than()) / Math.abs(condition.than());
            close |= far < CLEAR;
        }
        double loss = view.now("captureLossShare", 60);
        note(incomplete, "Seconds are missing in the window.", "計測期間に欠けている秒があります。");
        note(few, "Few samples.", "サンプルが少数です。");
        note(
                derived,
                "Compared with a learned usual value, not a direct counter.",
                "直接の計数ではなく、学習した平常値との比較です。");
        note(close, "A value is within 20 % of its threshold.", "閾値から 20 % 以内の値があります。");
        note(loss > LOSS, "The probe itself lost packets.", "プローブ自身がパケットを取りこぼしています。");
        return level();
    }

    private void note(boolean missing, String en, String ja) {
        if (missing) {
            reasons.add(LocalizedText.of(en, ja));
        }
    }

    private Decision.Level level() {
        return switch (reasons.size()) {
            case 0 -> Decision.Level.HIGH;
            case 1 -> Decision.Level.MEDIUM;
            default -> Decision.Level.LOW;
        };
    }

    /** Returns the reasons for a lower confidence, or the reason for a high one. */
    List<LocalizedText> reasons() {
        return reasons.isEmpty()
                ? List.of(LocalizedText.of(
                        "Complete window, enough samples, direct counters, values far from the threshold.",
                        "計測期間は完全、サンプルは十分、直接の計数であり、値は閾値から離れています。"))
                : List.copyOf(reasons);
    }
}
