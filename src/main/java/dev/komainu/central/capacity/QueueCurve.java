package dev.komainu.central.capacity;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The queue before one resource: T_r = A + K w(ρ), with ρ from the utilisation law and
 *
 * <pre>
 *   w(ρ) = ρ^(√(2(m+1)) − 1) / (m (1 − ρ))
 * </pre>
 *
 * <p>Kingman's and Allen and Cunneen's formula for G/G/m with Sakasegawa's exponent (1977): exact
 * for M/M/1 and M/G/1, within a few percent for more servers. K expresses the irregularity of
 * arrivals and requests; it is fitted, not assumed.
 *
 * <p>The Universal Scalability Law alone is not sufficient. With loads up to 60 % of the knee, T_r
 * has hardly started to rise, and the limiting rate cannot be inferred from it. The resource's use
 * for each request can be measured well at any load, and it determines the limiting rate.
 *
 * @param resource resource that requests queue for
 * @param use utilisation law of the resource
 * @param servers m, the number of units of the resource, 1 or more
 * @param atRest A, seconds
 * @param waitSeconds K, seconds
 */
public record QueueCurve(
        Resource resource, UtilizationLine use, double servers, double atRest, double waitSeconds)
        implements ResponseCurve {

    /** Largest K as a multiple of A; a larger value means another resource, not irregularity. */
    private static final double MOST_WAIT = 10;

    /**
     * Largest ρ that is fitted; above it steps are random, since a queue does not settle within ten
     * seconds.
     */
    private static final double SETTLED = 0.95;

    /** Returns the fitted curve; {@code null} when the steps do not allow a fit. */
    static @Nullable QueueCurve through(
            List<LoadStep> steps, Resource resource, UtilizationLine use, double servers) {
        List<double[]> rows = new ArrayList<>();
        List<Double> weights = new ArrayList<>();
        for (LoadStep step : steps) {
            double measured = step.responseSeconds();
            double rho = use.at(step.rate());
            if (measured > 0 && rho < SETTLED) {
                // Divided by the measured value, since the uncertainty of T_r is proportional to
                // T_r.
                rows.add(new double[] {1 / measured, waiting(rho, servers) / measured});
                weights.add(UtilizationLine.weight(step));
            }
        }
        if (rows.size() < UtilizationLine.FEWEST_STEPS) {
            return null;
        }
        double[] values = new double[rows.size()];
        Arrays.fill(values, 1);
        double[] coefficients = RobustFit.fit(
                rows.toArray(double[][]::new),
                values,
                weights.stream().mapToDouble(Double::doubleValue).toArray());
        return coefficients[0] > 0
                ? new QueueCurve(
                        resource,
                        use,
                        servers,
                        coefficients[0],
                        Math.min(coefficients[1], MOST_WAIT * coefficients[0]))
                : null;
    }

    static double waiting(double rho, double servers) {
        if (rho >= 1) {
            return Double.POSITIVE_INFINITY;
        }
        return Math.pow(Math.max(0, rho), Math.sqrt(2 * (servers + 1)) - 1) / (servers * (1 - rho));
    }

    @Override
    public double seconds(double rate) {
        double waiting = waiting(use.at(rate), servers);
        return waitSeconds > 0 || Double.isInfinite(waiting)
                ? atRest + Math.max(waitSeconds, 1e-12) * waiting
                : atRest;
    }

    @Override
    public double limitingRate() {
        return use.rateAt(1);
    }

    /**
     * Returns the curve of a faster CPU. The wait scales with the CPU; of the time at rest only the
     * CPU time scales.
     */
    @Override
    public ResponseCurve faster(double factor, double cpuSeconds) {
        double work = Math.min(atRest, Math.max(0, cpuSeconds));
        double rest = atRest - work + work / factor;
        return isCpu()
                ? new QueueCurve(resource, use.on(factor), servers, rest, waitSeconds / factor)
                : new QueueCurve(resource, use, servers, rest, waitSeconds);
    }

    /** Returns the curve with more of the resource itself, for a resource other than the CPU. */
    QueueCurve on(double factor) {
        return isCpu()
                ? this
                : new QueueCurve(resource, use.on(factor), servers, atRest, waitSeconds / factor);
    }

    private boolean isCpu() {
        return resource == Resource.CPU || resource == Resource.CPU_QUOTA;
    }
}
