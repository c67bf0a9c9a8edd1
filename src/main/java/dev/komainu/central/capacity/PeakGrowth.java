package dev.komainu.central.capacity;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The growth of the daily peak: the median of the slopes between all pairs of days (Theil 1950),
 * its interval by Sen (1968). A single unusual day (an outage, a campaign) moves neither. From two
 * weeks on only days of the same weekday are compared, so that the weekly pattern does not count as
 * a trend.
 *
 * @param days number of complete days
 * @param perDay increase each day, requests a second
 * @param low lower end of the 95 % interval
 * @param high upper end of the interval
 * @param level peak of the week's busiest day by the trend for today, requests a second
 * @param today days since the epoch
 */
public record PeakGrowth(
        int days, double perDay, double low, double high, double level, long today) {

    /** Fewest days for a trend. */
    public static final int LEAST_DAYS = 7;

    /** Fewest hours of a complete day; on a day with fewer the peak can be missing. */
    static final int LEAST_HOURS = 18;

    static final int WEEKS_FROM_DAYS = 15;

    /** Returns the growth; {@code null} with too few days. */
    static @Nullable PeakGrowth of(List<HourlyLoad> hours, long today) {
        TreeMap<Long, Double> peaks = dailyPeaks(hours, today);
        if (peaks.size() < LEAST_DAYS) {
            return null;
        }
        long[] days = peaks.keySet().stream().mapToLong(Long::longValue).toArray();
        double[] values =
                peaks.values().stream().mapToDouble(Double::doubleValue).toArray();
        boolean weekly = days[days.length - 1] - days[0] + 1 >= WEEKS_FROM_DAYS;
        double[] slopes = slopes(days, values, weekly);
        if (slopes.length == 0) {
            return null;
        }
        Arrays.sort(slopes);
        double slope = LoadStep.median(slopes);
        double width = 1.96 * Math.sqrt(variance(days, weekly));
        double low = slopes[
                (int) Math.clamp(Math.floor((slopes.length - width) / 2), 0, slopes.length - 1)];
        double high = slopes[
                (int) Math.clamp(Math.ceil((slopes.length + width) / 2), 0, slopes.length - 1)];
        return new PeakGrowth(
                days.length, slope, low, high, level(days, values, slope, today, weekly), today);
    }

    /** Returns the peaks of complete days before today, by day since the epoch. */
    static TreeMap<Long, Double> dailyPeaks(List<HourlyLoad> hours, long today) {
        Map<Long, Integer> hoursWithData = new HashMap<>();
        TreeMap<Long, Double> peaks = new TreeMap<>();
        for (HourlyLoad hour : hours) {
            if (hour.epochDay() < today) {
                hoursWithData.merge(hour.epochDay(), 1, Integer::sum);
                peaks.merge(hour.epochDay(), hour.peak(), Math::max);
            }
        }
        peaks.keySet().removeIf(day -> hoursWithData.getOrDefault(day, 0) < LEAST_HOURS);
        return peaks;
    }

    private static double[] slopes(long[] days, double[] values, boolean weekly) {
        List<Double> slopes = new ArrayList<>();
        for (int i = 0; i < days.length; i++) {
            for (int j = i + 1; j < days.length; j++) {
                if (!weekly || (days[j] - days[i]) % 7 == 0) {
                    slopes.add((values[j] - values[i]) / (days[j] - days[i]));
                }
            }
        }
        return slopes.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /**
     * Returns the variance of Kendall's S, summed over the weekdays when they are compared
     * separately.
     */
    private static double variance(long[] days, boolean weekly) {
        int[] each = new int[7];
        for (long day : days) {
            each[weekly ? (int) Math.floorMod(day, 7L) : 0]++;
        }
        double sum = 0;
        for (int n : each) {
            sum += n * (n - 1.0) * (2.0 * n + 5) / 18;
        }
        return sum;
    }

    private static double level(
            long[] days, double[] values, double slope, long today, boolean weekly) {
        Map<Long, List<Double>> byWeekday = new HashMap<>();
        for (int i = 0; i < days.length; i++) {
            byWeekday
                    .computeIfAbsent(
                            weekly ? Math.floorMod(days[i], 7L) : 0, first -> new ArrayList<>())
                    .add(values[i] + slope * (today - days[i]));
        }
        return byWeekday.values().stream()
                .mapToDouble(each -> LoadStep.median(
                        each.stream().mapToDouble(Double::doubleValue).toArray()))
                .max()
                .orElseThrow();
    }
}
