package dev.komainu.central.capacity;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;

/** Synthetic loads of servers whose knee is known by formula. */
final class Loads {

    private Loads() {}

    /** Mean T_r of M/M/c at a rate, seconds (Erlang C). */
    static double mmc(double rate, double perServer, int servers) {
        double offered = rate / perServer;
        if (offered >= servers) {
            return Double.POSITIVE_INFINITY;
        }
        double blocked = 1;
        for (int i = 1; i <= servers; i++) {
            blocked = offered * blocked / (i + offered * blocked);
        }
        double waits = blocked / (1 - offered / servers * (1 - blocked));
        return 1 / perServer + waits / (servers * perServer - rate);
    }

    /** Mean T_r of M/D/1 (Pollaczek and Khinchine). */
    static double md1(double rate, double perServer) {
        double rho = rate / perServer;
        return rho >= 1 ? Double.POSITIVE_INFINITY : (1 + rho / (2 * (1 - rho))) / perServer;
    }

    /** Returns the argument at which an increasing function reaches a limit. */
    static double where(DoubleUnaryOperator rising, double limit, double most) {
        double low = 0;
        double high = most;
        for (int i = 0; i < 80; i++) {
            double middle = (low + high) / 2;
            if (rising.applyAsDouble(middle) <= limit) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Ten-second points in steps of load.
     *
     * @param levels rates
     * @param each number of points at each level
     * @param response T_r by rate, seconds
     * @param cpu share of the CPUs by rate; {@code NaN}: no host samples
     * @param cores number of CPUs
     * @param noise relative noise of T_r from point to point
     */
    static List<LoadPoint> steps(
            double[] levels,
            int each,
            DoubleUnaryOperator response,
            DoubleUnaryOperator cpu,
            double cores,
            double noise,
            long seed) {
        Random random = new Random(seed);
        List<LoadPoint> points = new ArrayList<>();
        long at = 1_800_000_000L;
        for (double level : levels) {
            for (int i = 0; i < each; i++) {
                double rate = Math.max(
                        0.1, level + random.nextGaussian() * Math.sqrt(level / LoadPoint.SECONDS));
                double seconds =
                        response.applyAsDouble(level) * Math.exp(noise * random.nextGaussian());
                double share = cpu.applyAsDouble(level) * (1 + 0.02 * random.nextGaussian());
                Map<Resource, Double> use = new EnumMap<>(Resource.class);
                if (!Double.isNaN(share)) {
                    use.put(Resource.CPU, Math.min(1, share));
                    use.put(Resource.MEMORY, 0.4 + 0.001 * random.nextGaussian());
                }
                points.add(new LoadPoint(
                        at,
                        rate,
                        rate,
                        rate * seconds * Math.exp(0.02 * random.nextGaussian()),
                        3 * rate * seconds + 2,
                        seconds,
                        Double.isNaN(share) ? Double.NaN : share * cores,
                        use));
                at += LoadPoint.SECONDS;
            }
        }
        return points;
    }

    /** Six steps from a tenth to {@code share} of a rate. */
    static double[] upTo(double rate, double share) {
        double[] levels = new double[6];
        for (int i = 0; i < 6; i++) {
            levels[i] = rate * (0.1 + (share - 0.1) * i / 5);
        }
        return levels;
    }
}
