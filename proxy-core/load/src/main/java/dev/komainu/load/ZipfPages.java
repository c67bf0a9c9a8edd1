package dev.komainu.load;

import java.util.random.RandomGenerator;

/**
 * A fixed set of pages with Zipf-like popularity: page k is about k^-s as popular as page 1.
 *
 * @param pattern a path with {@code %d} for the page's number, 1 to count
 */
record ZipfPages(String pattern, int count, double zipf, RandomGenerator random)
        implements RequestSource {

    @Override
    public String next(double second) {
        return pattern.replace("%d", Integer.toString(1 + rank(count, zipf, random.nextDouble())));
    }

    /**
     * Returns a rank by the inverse of the continuous Zipf distribution, accurate enough for
     * exponents below 1.
     *
     * @param uniform 0 to 1
     * @return 0 to count - 1
     */
    static int rank(int count, double zipf, double uniform) {
        return (int) Math.min(count - 1.0, count * Math.pow(uniform, 1 / (1 - zipf)));
    }
}
