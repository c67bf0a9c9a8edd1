package dev.komainu.load;

import java.util.random.RandomGenerator;

/**
 * The distribution of objects' sizes, in bytes of the body. Pure except for the given randomness.
 */
@FunctionalInterface
public interface ObjectSizes {

    /** Minimum size. */
    int SMALLEST_BYTES = 128;

    /** Maximum size: one such object occupies any connection for long enough. */
    int LARGEST_BYTES = 64 << 20;

    long draw(RandomGenerator random);

    /** Returns an exponential distribution around a mean, as Web Polygraph's. */
    static ObjectSizes exponential(double meanBytes) {
        return random -> within(-Math.log(1 - random.nextDouble()) * meanBytes);
    }

    static ObjectSizes fixed(long bytes) {
        return random -> within((double) bytes);
    }

    /**
     * Returns SURGE's body and tail (Barford and Crovella, "Generating Representative Web
     * Workloads", SIGMETRICS 1998, table 1): 93 % lognormal (μ 9.357, σ 1.318), 7 % Pareto (k 133
     * KB, α 1.1).
     */
    static ObjectSizes surge() {
        return random -> random.nextDouble() < 0.93
                ? within(Math.exp(9.357 + 1.318 * random.nextGaussian()))
                : within(133_000 * Math.pow(1 - random.nextDouble(), -1 / 1.1));
    }

    /**
     * Returns the organizer's objects (spec section 5): 35 % to 1 KB, 50 % to 10 KB, 14 % to 100
     * KB, 0.9 % to 1 MB, 0.1 % to 10 MB.
     */
    static ObjectSizes organizer() {
        double[] cumulative = {0.35, 0.85, 0.99, 0.999, 1};
        return random -> {
            double uniform = random.nextDouble();
            int step = 0;
            while (uniform >= cumulative[step]) {
                step++;
            }
            double max = 1_000 * Math.pow(10, step);
            double min = step == 0 ? SMALLEST_BYTES : max / 10;
            return within(min + (max - min) * random.nextDouble());
        };
    }

    private static long within(double bytes) {
        return Math.clamp(Math.round(bytes), SMALLEST_BYTES, LARGEST_BYTES);
    }

    /**
     * Parses an option.
     *
     * @throws IllegalArgumentException with the text and the possible values
     */
    static ObjectSizes parse(String text) {
        try {
            if (text.startsWith("exponential:")) {
                return exponential(bytes(text));
            }
            if (text.startsWith("fixed:")) {
                return fixed((long) bytes(text));
            }
            return switch (text) {
                case "surge" -> surge();
                case "organizer" -> organizer();
                default -> throw new NumberFormatException();
            };
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--sizes: " + text
                    + " (expected: exponential:BYTES, fixed:BYTES, surge or organizer; "
                    + SMALLEST_BYTES + " to "
                    + LARGEST_BYTES + " bytes)");
        }
    }

    private static double bytes(String text) {
        double bytes = Double.parseDouble(text.substring(text.indexOf(':') + 1));
        if (!(bytes >= SMALLEST_BYTES && bytes <= LARGEST_BYTES)) {
            throw new NumberFormatException();
        }
        return bytes;
    }
}
