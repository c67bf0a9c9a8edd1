package dev.komainu.central.indices;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One measured figure for or against a state or a decision, as the API returns it.
 *
 * @param measurement name of the index
 * @param text one sentence
 * @param value absent when nothing was observed
 * @param underLoss present and true when the monitor itself lost packets of the window: the figure
 *     may be too low
 * @param met whether the value is on the required side of the threshold; absent without a value
 * @param rulesOut label of the state that this value rules out, or, without a value, of one that
 *     could not be ruled out
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Evidence(
        String measurement,
        LocalizedText text,
        @Nullable Double value,
        @Nullable String unit,
        @Nullable Double threshold,
        @Nullable String comparison,
        @Nullable Boolean met,
        @Nullable String thresholdSource,
        @Nullable Integer windowSeconds,
        @Nullable Integer samples,
        IndexSource source,
        @Nullable Boolean underLoss,
        @Nullable List<@Nullable Double> sparkline,
        @Nullable String rulesOut) {

    private static final LocalizedText UNDER_LOSS =
            LocalizedText.of("; the probe lost packets in this time", "(この間、プローブがパケットを取りこぼしました)");

    /** Returns the evidence of a measurement compared with its threshold. */
    public static Evidence of(Condition condition, MeasurementView view) {
        return of(condition, view.read(condition.measure(), condition.seconds()));
    }

    private static Evidence of(Condition condition, IndexReading reading) {
        Double value = reading.value();
        IndexDefinition index = reading.index();
        String limit = condition.is().printed() + " " + figure(condition.than(), index.unit());
        String shown = value == null ? null : figure(value, index.unit());
        LocalizedText text = LocalizedText.of(
                index.title().en() + ": " + (shown == null ? "not observable" : shown)
                        + " (threshold " + limit + ")" + loss(reading, UNDER_LOSS.en()),
                index.title().ja() + ": " + (shown == null ? "観測できません" : shown) + " (閾値 " + limit
                        + ")" + loss(reading, UNDER_LOSS.ja()));
        return new Evidence(
                condition.measure(),
                text,
                value,
                index.unit(),
                condition.than(),
                condition.is().sign(),
                value == null ? null : condition.compares(value),
                condition.source(),
                condition.seconds(),
                (int) Math.min(Integer.MAX_VALUE, reading.samples()),
                index.source(),
                reading.underLoss() ? true : null,
                reading.sparkline(),
                null);
    }

    private static String loss(IndexReading reading, String suffix) {
        return reading.underLoss() ? suffix : "";
    }

    /** Returns the evidence of a measurement without a threshold. */
    public static Evidence of(IndexReading reading) {
        IndexDefinition index = reading.index();
        Double value = reading.value();
        String shown = value == null ? null : figure(value, index.unit());
        return new Evidence(
                index.name(),
                LocalizedText.of(
                        index.title().en() + ": " + (shown == null ? "not observable" : shown)
                                + loss(reading, UNDER_LOSS.en()),
                        index.title().ja() + ": " + (shown == null ? "観測できません" : shown)
                                + loss(reading, UNDER_LOSS.ja())),
                value,
                index.unit(),
                null,
                null,
                null,
                null,
                reading.seconds(),
                (int) Math.min(Integer.MAX_VALUE, reading.samples()),
                index.source(),
                reading.underLoss() ? true : null,
                reading.sparkline(),
                null);
    }

    /**
     * Returns evidence that is only a sentence: for a figure that could not be measured or has
     * another origin.
     */
    public static Evidence ofText(String measurement, LocalizedText text, IndexSource source) {
        return new Evidence(
                measurement,
                text,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                source,
                null,
                null,
                null);
    }

    /**
     * Returns the evidence against a state: its measurement does not reach the threshold. Example:
     * "CPU idle: 62 %, not < 10 %".
     */
    public static Evidence against(String state, Condition condition, MeasurementView view) {
        IndexReading reading = view.read(condition.measure(), condition.seconds());
        IndexDefinition index = reading.index();
        Double value = reading.value();
        String shown = value == null ? "?" : figure(value, index.unit());
        String limit = condition.is().printed() + " " + figure(condition.than(), index.unit());
        LocalizedText text = LocalizedText.of(
                "Ruled out: " + state + ". " + index.title().en() + ": " + shown + ", not " + limit
                        + loss(reading, UNDER_LOSS.en()),
                "除外: " + state + "。" + index.title().ja() + ": " + shown + "(" + limit + " ではない)"
                        + loss(reading, UNDER_LOSS.ja()));
        return of(condition, reading).with(text, state);
    }

    /**
     * Returns the evidence that a cause above the first cause is ruled out. Example: "Ruled out:
     * the disk. CPU waiting for disks: 1 %, not ≥ 10 %".
     *
     * @param condition condition that holds while the cause is ruled out
     */
    public static Evidence ruledOut(
            LocalizedText cause, String state, Condition condition, MeasurementView view) {
        return about("Ruled out: ", "除外: ", cause, state, condition, view);
    }

    /**
     * Returns the evidence that a cause above the first cause is not ruled out, although it was
     * measured.
     */
    public static Evidence notRuledOut(
            LocalizedText cause, String state, Condition condition, MeasurementView view) {
        return about("Not ruled out: ", "除外できず: ", cause, state, condition, view);
    }

    private static Evidence about(
            String en,
            String ja,
            LocalizedText cause,
            String state,
            Condition condition,
            MeasurementView view) {
        IndexReading reading = view.read(condition.measure(), condition.seconds());
        Evidence measured = of(condition, reading);
        return measured.with(
                LocalizedText.of(
                        en + cause.en() + ". " + measured.text().en(),
                        ja + cause.ja() + "。" + measured.text().ja()),
                state);
    }

    /**
     * Returns the evidence for a state that cannot be judged because its measurement is not
     * collected.
     */
    public static Evidence unobserved(
            String state,
            String measurement,
            LocalizedText missing,
            String command,
            IndexSource source) {
        return unobserved(
                LocalizedText.of(state, state), state, measurement, missing, command, source);
    }

    /**
     * Returns the evidence for a cause that cannot be judged because its measurement is not
     * collected.
     */
    public static Evidence unobserved(
            LocalizedText cause,
            String state,
            String measurement,
            LocalizedText missing,
            String command,
            IndexSource source) {
        LocalizedText text = LocalizedText.of(
                "Not ruled out: " + cause.en() + ". " + missing.en() + " Collector: " + command,
                "除外できず: " + cause.ja() + "。" + missing.ja() + " 収集元: " + command);
        return ofText(measurement, text, source).with(text, state);
    }

    private Evidence with(LocalizedText newText, String state) {
        return new Evidence(
                measurement,
                newText,
                value,
                unit,
                threshold,
                comparison,
                met,
                thresholdSource,
                windowSeconds,
                samples,
                source,
                underLoss,
                sparkline,
                state);
    }

    /** Returns the same evidence without the last minute's values, for storage and transfer. */
    public Evidence withoutSparkline() {
        return new Evidence(
                measurement,
                text,
                value,
                unit,
                threshold,
                comparison,
                met,
                thresholdSource,
                windowSeconds,
                samples,
                source,
                underLoss,
                null,
                rulesOut);
    }

    /**
     * Formats a value for people: shares in percent, bytes with a prefix, at most three significant
     * digits.
     */
    public static String figure(double value, String unit) {
        if (!Double.isFinite(value)) {
            return "?";
        }
        return switch (unit) {
            case "share" -> percent(value * 100);
            case "percent" -> percent(value);
            case "B" -> bytes(value) + "B";
            case "B/s" -> bytes(value) + "B/s";
            case "ratio" -> digits(value) + "×";
            case "count" -> digits(value);
            case "1/s" -> digits(value) + "/s";
            default -> digits(value) + " " + unit;
        };
    }

    private static String percent(double value) {
        boolean whole = Math.abs(value) >= 100 || value == Math.rint(value);
        return String.format(Locale.ROOT, whole ? "%.0f %%" : "%.1f %%", value);
    }

    private static String digits(double value) {
        double size = Math.abs(value);
        if (size >= 100 || value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        return String.format(Locale.ROOT, size >= 10 ? "%.1f" : "%.2f", value);
    }

    private static String bytes(double value) {
        String[] prefixes = {"", "k", "M", "G", "T"};
        int step = 0;
        double scaled = value;
        while (Math.abs(scaled) >= 1_000 && step < prefixes.length - 1) {
            scaled /= 1_000;
            step++;
        }
        return digits(scaled) + " " + prefixes[step];
    }
}
