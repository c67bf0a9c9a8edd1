package dev.komainu.load;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * The objects of Web Polygraph, which the papers used. A share of the requests is for objects that
 * were requested before, older ones being more popular (Zipf-like); the rest is for new objects.
 * Some objects may not be cached. A cache that evicts nothing then reaches a hit ratio of
 * {@code hitRatio} within the first seconds. A cache that is too small has a lower ratio the longer
 * it runs, as in the thesis's figures 5.7 and 5.9. The path contains size and kind, so that the
 * origin needs no memory.
 *
 * <p>An object is requested again only after {@link #YOUNG_SECONDS}, because one still being
 * fetched would be neither hit nor miss.
 */
final class RecurringObjects implements RequestSource {

    /** Longer than the slowest response of the origin (4.5 s and four crossings of 100 ms). */
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
    /** Number of the known objects that are old enough. */
    private int oldCount;

    /**
     * Creates a source for one server.
     *
     * @param hitRatio 0 to {@code cachable}: hit ratio of a perfect cache
     * @param cachable share of objects that may be cached, above 0 to 1
     * @param sizes sizes of bodies
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
     * Creates a source for several servers.
     *
     * @param sites number of servers, each below {@code /site/N}; 0: one, without this prefix
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
        while (oldCount < count && bornAt[oldCount] <= second - YOUNG_SECONDS) {
            oldCount++;
        }
        if (oldCount > 0 && random.nextDouble() < recurring) {
            return known[ZipfPages.rank(oldCount, zipf, random.nextDouble())];
        }
        if (count == known.length) {
            known = Arrays.copyOf(known, 2 * count);
            bornAt = Arrays.copyOf(bornAt, 2 * count);
        }
        long bytes = sizes.draw(random);
        String site = sites > 0 ? "/site/" + random.nextInt(sites) : "";
        String path =
                site + "/object/" + count + "/" + bytes + (isCachable(count) ? "/keep" : "/fresh");
        known[count] = path;
        bornAt[count] = second;
        count++;
        return path;
    }

    /**
     * Reports whether an object may be cached. These objects are spread evenly over the ranks, so
     * that the three most popular ones do not depend on chance.
     */
    private boolean isCachable(int object) {
        double fresh = 1 - cachable;
        return Math.floor((object + 1) * fresh + 0.5) == Math.floor(object * fresh + 0.5);
    }
}
