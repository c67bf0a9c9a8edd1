package dev.komainu.central.capacity;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Waiting before one resource: T_r = A + K w(ρ), with ρ from the utilisation law and
 *
 * <pre>
 *   w(ρ) = ρ^(√(2(m+1)) − 1) / (m (1 − ρ))
 * </pre>
 *
 * <p>Kingman's and Allen and Cunneen's formula for G/G/m with Sakasegawa's exponent (1977): exact
 * for M/M/1 and M/G/1, within a few percent for more servers. K holds how irregular arrivals and
 * requests are; it is fitted, not assumed.
 *
 * <p>Why not the Universal Scalability Law alone: seen up to 60 % of the knee, T_r has hardly begun
 * to rise, and where the wall stands cannot be read from it. How much of the resource a request
 * takes can be measured well at any load, and that says where it stands.
 *
 * @param resource what is waited for
 * @param use its utilisation law
 * @param servers m, 1 or more; of a resource that is cut in pieces of one
 * @param atRest A, seconds
 * @param waitSeconds K, seconds
 */
public record QueueCurve(
        Resource resource, UtilizationLine use, double servers, double atRest, double waitSeconds)
        implements ResponseCurve {

    /** More than ten times the time at rest is no irregularity but another resource. */
    private static final double MOST_WAIT = 10;

    /** Beyond, steps are told by chance: a queue of ten-second steps has not settled. */
    private static final double SETTLED = 0.95;

    /** @return null where nothing can be fitted */
    static @Nullable QueueCurve through(
            List<LoadStep> steps, Resource resource, UtilizationLine use, double servers) {
        List<double[]> rows = new ArrayList<>();
        List<Double> weights = new ArrayList<>();
        for (LoadStep step : steps) {
            double seen = step.responseSeconds();
            double rho = use.at(step.rate());
            if (seen > 0 && rho < SETTLED) {
                // Divided by what is seen: T_r is uncertain in proportion to itself.
                rows.add(new double[] {1 / seen, waiting(rho, servers) / seen});
                weights.add(UtilizationLine.weight(step));
            }
        }
        if (rows.size() < UtilizationLine.FEWEST_STEPS) {
            return null;
        }
        double[] values = new double[rows.size()];
        Arrays.fill(values, 1);
        double[] found = RobustFit.fit(
                rows.toArray(double[][]::new),
                values,
                weights.stream().mapToDouble(Double::doubleValue).toArray());
        return found[0] > 0
                ? new QueueCurve(
                        resource, use, servers, found[0], Math.min(found[1], MOST_WAIT * found[0]))
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
    public double wall() {
        return use.rateAt(1);
    }

    /**
     * The wait belongs to the resource, which is the CPU; of the time at rest, what is CPU time.
     */
    @Override
    public ResponseCurve faster(double factor, double cpuSeconds) {
        double work = Math.min(atRest, Math.max(0, cpuSeconds));
        double rest = atRest - work + work / factor;
        return isCpu()
                ? new QueueCurve(resource, use.on(factor), servers, rest, waitSeconds / factor)
                : new QueueCurve(resource, use, servers, rest, waitSeconds);
    }

    /** The same with more of the resource itself where it is not the CPU. */
    QueueCurve on(double factor) {
        return isCpu()
                ? this
                : new QueueCurve(resource, use.on(factor), servers, atRest, waitSeconds / factor);
    }

    private boolean isCpu() {
        return resource == Resource.CPU || resource == Resource.CPU_QUOTA;
    }
}
