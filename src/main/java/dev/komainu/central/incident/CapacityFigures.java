package dev.komainu.central.incident;

import dev.komainu.central.capacity.CapacityWhatIf;
import dev.komainu.central.capacity.Knee;
import dev.komainu.central.capacity.Resource;
import dev.komainu.central.capacity.ServiceCapacity;
import dev.komainu.central.capacity.UpgradeNeed;
import dev.komainu.central.diagnosis.Diagnostician;
import dev.komainu.central.indices.LocalizedText;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the capacity model for the text about a bigger system: the knee, what is missing
 * for the present rate, and the knee with a CPU twice as fast. Pure.
 */
final class CapacityFigures {

    private static final double TWICE = 2;

    private CapacityFigures() {}

    /**
     * Returns the figures as a text.
     *
     * @param capacity the newest result; absent before the first
     * @param responseRatio the limit of T_r as a multiple of T_r without load
     */
    static LocalizedText of(@Nullable ServiceCapacity capacity, double responseRatio) {
        Knee knee = capacity == null ? null : capacity.knee();
        if (capacity == null || knee == null) {
            return Diagnostician.NO_CAPACITY;
        }
        StringBuilder en = new StringBuilder("By the capacity model this server carries ")
                .append(rate(knee.rate()))
                .append(" requests/s")
                .append(knee.beyond() ? " at least" : interval(knee, " to ", " and more"))
                .append(", limited by ")
                .append(knee.by())
                .append('.');
        StringBuilder ja = new StringBuilder("キャパシティモデルでは、このサーバの限界は毎秒 ")
                .append(rate(knee.rate()))
                .append(" リクエスト")
                .append(knee.beyond() ? "以上" : interval(knee, "〜", " 以上"))
                .append("、制約は ")
                .append(knee.by())
                .append(" です。");
        Double now = capacity.rateNow();
        CapacityWhatIf present =
                now == null ? null : whatIf(capacity, now, Map.of(), responseRatio);
        if (now != null && present != null && !present.needs().isEmpty()) {
            String needs = needs(present.needs());
            en.append(" For the present ")
                    .append(rate(now))
                    .append("/s it lacks: ")
                    .append(needs)
                    .append('.');
            ja.append("現在の毎秒 ")
                    .append(rate(now))
                    .append(" に対する不足は ")
                    .append(needs)
                    .append(" です。");
        }
        CapacityWhatIf faster = whatIf(capacity, now, Map.of(Resource.CPU, TWICE), responseRatio);
        Knee then = faster == null ? null : faster.knee();
        if (then != null) {
            en.append(" With a CPU twice as fast: ")
                    .append(rate(then.rate()))
                    .append("/s, limited by ")
                    .append(then.by())
                    .append('.');
            ja.append("CPU が 2 倍速ければ毎秒 ")
                    .append(rate(then.rate()))
                    .append("、制約は ")
                    .append(then.by())
                    .append(" です。");
        }
        return LocalizedText.of(en.toString(), ja.toString());
    }

    private static @Nullable CapacityWhatIf whatIf(
            ServiceCapacity capacity,
            @Nullable Double rate,
            Map<Resource, Double> factors,
            double responseRatio) {
        return CapacityWhatIf.evaluate(
                capacity,
                new CapacityWhatIf.Question(rate, null, null, factors, null, null, responseRatio));
    }

    private static String interval(Knee knee, String to, String open) {
        Double high = knee.high();
        return " (" + rate(knee.low()) + (high == null ? open : to + rate(high)) + ")";
    }

    private static String needs(List<UpgradeNeed> needs) {
        return String.join(
                ", ",
                needs.stream()
                        .map(need -> need.resource().text()
                                + (need.factor() == null
                                        ? ""
                                        : String.format(Locale.ROOT, " × %.1f", need.factor())))
                        .toList());
    }

    private static String rate(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
    }
}
