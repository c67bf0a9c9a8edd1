package dev.komainu.load;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * Web Polygraph's idea of the world, which the papers used: a share of the wishes is for objects
 * somebody asked for before, older ones being more popular (Zipf-like), the rest is for objects
 * never seen; some objects may not be kept. A cache that forgets nothing then answers
 * {@code hitRatio} of all wishes from the first seconds on, and one that is too small answers less
 * the longer it runs, as in the thesis's figures 5.7 and 5.9. The path tells size and kind, so that
 * the origin needs no memory.
 *
 * <p>An object is wished for again only after {@link #YOUNG_SECONDS}, because one that is still
 * under way would be neither hit nor miss.
 */
final class RecurringObjects implements RequestSource {

    /** Longer than the slowest origin answer (4.5 s and four crossings of 100 ms). */
    static final double YOUNG_SECONDS = 6;

    private final double recurring;
    private final double cachable;
    private final ObjectSizes sizes;
    private final double zipf;
    private final RandomGenerator random;
    private final int sites;
    private String[] known = new String[1 << 16];
    private double[] bornAt = new double[1 << 16];
    private int count;
    /** How many of the known are old enough. */
    private int old;

    /**
     * @param hitRatio 0 to {@code cachable}: the share of wishes a perfect cache can answer
     * @param cachable share of objects a cache may keep, above 0 to 1
     * @param sizes of bodies
     * @param zipf exponent of popularity, 0 to below 1
     */
    RecurringObjects(
            double hitRatio,
            double cachable,
            ObjectSizes sizes,
            double zipf,
            RandomGenerator random) {
        this(hitRatio, cachable, sizes, zipf, random, 0);
    }

    /**
     * @param sites servers the objects are spread over, each below {@code /site/N}; 0: one, without
     *     that prefix
     */
    RecurringObjects(
            double hitRatio,
            double cachable,
            ObjectSizes sizes,
            double zipf,
            RandomGenerator random,
            int sites) {
        this.sites = sites;
        this.recurring = hitRatio / cachable;
        this.cachable = cachable;
        this.sizes = sizes;
        this.zipf = zipf;
        this.random = random;
    }

    @Override
    public String next(double second) {
        while (old < count && bornAt[old] <= second - YOUNG_SECONDS) {
            old++;
        }
        if (old > 0 && random.nextDouble() < recurring) {
            return known[ZipfPages.rank(old, zipf, random.nextDouble())];
        }
        if (count == known.length) {
            known = Arrays.copyOf(known, 2 * count);
            bornAt = Arrays.copyOf(bornAt, 2 * count);
        }
        long bytes = sizes.draw(random);
        String site = sites > 0 ? "/site/" + random.nextInt(sites) : "";
        String path =
                site + "/object/" + count + "/" + bytes + (mayBeKept(count) ? "/keep" : "/fresh");
        known[count] = path;
        bornAt[count] = second;
        count++;
        return path;
    }

    /**
     * Spread evenly over the ranks: whether the three most popular objects may be kept must not be
     * a matter of luck.
     */
    private boolean mayBeKept(int object) {
        double fresh = 1 - cachable;
        return Math.floor((object + 1) * fresh + 0.5) == Math.floor(object * fresh + 0.5);
    }
}
