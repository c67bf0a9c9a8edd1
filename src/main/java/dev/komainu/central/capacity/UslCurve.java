package dev.komainu.central.capacity;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The Universal Scalability Law (Gunther 1993, 2007): X(N) = λN / (1 + σ(N−1) + κN(N−1)), N
 * requests under way.
 *
 * <p>With Little's law T_r = N/X = (1 + σ(N−1) + κN(N−1)) / λ, which is linear in 1, N and N(N−1);
 * fitted so, none of the three below zero, 0 ≤ σ ≤ 1 and κ ≥ 0 hold by themselves. M/M/1 is the
 * case σ = ½, κ = 0.
 *
 * @param lambda requests a second that one at a time would get
 * @param sigma share of the work that waits in line, 0 to 1
 * @param kappa what each request costs each other one, 0 or more
 */
public record UslCurve(double lambda, double sigma, double kappa) implements ResponseCurve {

    /** @return null where nothing can be fitted */
    static @Nullable UslCurve through(List<LoadStep> steps) {
        List<LoadStep> seen = steps.stream()
                .filter(step -> step.processing() > 0 && step.rate() > 0)
                .toList();
        if (seen.size() < UtilizationLine.FEWEST_STEPS) {
            return null;
        }
        double[][] rows = new double[seen.size()][];
        double[] values = new double[rows.length];
        double[] weights = new double[rows.length];
        Arrays.fill(values, 1);
        for (int i = 0; i < rows.length; i++) {
            double n = seen.get(i).processing();
            double seconds = n / seen.get(i).rate();
            rows[i] = new double[] {1 / seconds, n / seconds, n * (n - 1) / seconds};
            weights[i] = UtilizationLine.weight(seen.get(i));
        }
        double[] found = RobustFit.fit(rows, values, weights);
        double slowest = found[0] + found[1];
        return slowest > 0
                ? new UslCurve(1 / slowest, found[1] / slowest, found[2] / slowest)
                : null;
    }

    /** X(N), requests a second. */
    public double rate(double underWay) {
        return lambda * underWay / (1 + sigma * (underWay - 1) + kappa * underWay * (underWay - 1));
    }

    @Override
    public double seconds(double rate) {
        if (rate <= 0) {
            return atRest();
        }
        // κX N² + (X(σ−κ) − λ) N + X(1−σ) = 0; of two roots the lighter load is the one a server
        // comes to.
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
    public double wall() {
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
