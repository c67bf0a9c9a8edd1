package dev.komainu.central.capacity;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The Universal Scalability Law (Gunther 1993, 2007): X(N) = λN / (1 + σ(N−1) + κN(N−1)), with N
 * requests in progress.
 *
 * <p>With Little's law T_r = N/X = (1 + σ(N−1) + κN(N−1)) / λ, which is linear in 1, N and N(N−1);
 * fitted in this form with no coefficient below zero, 0 ≤ σ ≤ 1 and κ ≥ 0 hold without further
 * constraints. M/M/1 is the case σ = ½, κ = 0.
 *
 * @param lambda rate of a single request at a time, requests a second
 * @param sigma serial share of the work, 0 to 1
 * @param kappa cost of each request to each other request, 0 or more
 */
public record UslCurve(double lambda, double sigma, double kappa) implements ResponseCurve {

    /** Returns the fitted curve; {@code null} when the steps do not allow a fit. */
    static @Nullable UslCurve through(List<LoadStep> steps) {
        List<LoadStep> measured = steps.stream()
                .filter(step -> step.processing() > 0 && step.rate() > 0)
                .toList();
        if (measured.size() < UtilizationLine.FEWEST_STEPS) {
            return null;
        }
        double[][] rows = new double[measured.size()][];
        double[] values = new double[rows.length];
        double[] weights = new double[rows.length];
        Arrays.fill(values, 1);
        for (int i = 0; i < rows.length; i++) {
            double n = measured.get(i).processing();
            double seconds = n / measured.get(i).rate();
            rows[i] = new double[] {1 / seconds, n / seconds, n * (n - 1) / seconds};
            weights[i] = UtilizationLine.weight(measured.get(i));
        }
        double[] coefficients = RobustFit.fit(rows, values, weights);
        double slowest = coefficients[0] + coefficients[1];
        return slowest > 0
                ? new UslCurve(1 / slowest, coefficients[1] / slowest, coefficients[2] / slowest)
                : null;
    }

    /** Returns X(N), in requests a second. */
    public double rate(double inProgress) {
        return lambda
                * inProgress
                / (1 + sigma * (inProgress - 1) + kappa * inProgress * (inProgress - 1));
    }

    @Override
    public double seconds(double rate) {
        if (rate <= 0) {
            return atRest();
        }
        // κX N² + (X(σ−κ) − λ) N + X(1−σ) = 0; of the two roots the smaller load is the one that a
        // server reaches.
        double a = kappa * rate;
        double b = rate * (sigma - kappa) - lambda;
        double c = rate * (1 - sigma);
        if (b >= 0) {
            return Double.POSITIVE_INFINITY;
        }
        double root = b * b - 4 * a * c;
        return root < 0 ? Double.POSITIVE_INFINITY : 2 * c / (-b + Math.sqrt(root)) / rate;
    }

    @Override
    public double atRest() {
        return (1 - sigma) / lambda;
    }

    @Override
    public double limitingRate() {
        if (kappa > 0) {
            return rate(Math.sqrt((1 - sigma) / kappa));
        }
        return sigma > 0 ? lambda / sigma : Double.POSITIVE_INFINITY;
    }

    @Override
    public ResponseCurve faster(double factor, double cpuSeconds) {
        double rest = atRest();
        if (!(rest > 0)) {
            return this;
        }
        double work = Math.min(rest, Math.max(0, cpuSeconds));
        return new UslCurve(lambda * rest / (rest - work + work / factor), sigma, kappa);
    }
}
