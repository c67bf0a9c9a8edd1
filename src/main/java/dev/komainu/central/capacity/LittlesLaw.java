package dev.komainu.central.capacity;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Little's law, N = X T_r: any two of the three measurements give the third, so that they can be
 * checked against each other.
 *
 * @param ratio median of N / (X T_r); 1 when they agree
 * @param low lower quartile
 * @param high upper quartile
 * @param points number of compared points
 * @param agrees whether the median lies within 10 % of 1
 */
public record LittlesLaw(double ratio, double low, double high, int points, boolean agrees) {

    private static final double TOLERANCE = 0.10;

    static @Nullable LittlesLaw of(List<LoadPoint> points) {
        double[] ratios = points.stream()
                .mapToDouble(
                        point -> point.processing() / (point.processed() * point.responseSeconds()))
                .filter(ratio -> Double.isFinite(ratio) && ratio > 0)
                .toArray();
        if (ratios.length == 0) {
            return null;
        }
        double median = LoadStep.median(ratios);
        return new LittlesLaw(
                median,
                LoadStep.quantile(ratios, 0.25),
                LoadStep.quantile(ratios, 0.75),
                ratios.length,
                Math.abs(median - 1) <= TOLERANCE);
    }
}
