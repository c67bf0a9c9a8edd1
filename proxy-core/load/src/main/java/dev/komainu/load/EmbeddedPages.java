package dev.komainu.load;

import dev.komainu.load.browser.BrowserPage;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Pages made of objects: a document and a number of embedded objects from SURGE's Pareto
 * distribution (α 2.43; Barford and Crovella 1998, table 1), scaled to the configured mean. Many
 * pages then have few objects, and some have many, as on real sites.
 *
 * @param objects source of all objects
 * @param mean mean number of a page's embedded objects, 0 or more
 */
record EmbeddedPages(RequestSource objects, double mean, RandomGenerator random)
        implements PageRequestSource {

    private static final double SHAPE = 2.43;
    /** Limit of a page's objects: one draw must not be a load of its own. */
    private static final int MAX_OBJECTS = 200;

    @Override
    public BrowserPage next(double second) {
        String document = objects.next(second);
        int count = count();
        List<String> embedded = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            embedded.add(objects.next(second));
        }
        return new BrowserPage(document, embedded);
    }

    /** Returns a number rounded at random, so that the mean is exact for any fraction. */
    private int count() {
        if (mean <= 0) {
            return 0;
        }
        double smallest = mean * (SHAPE - 1) / SHAPE;
        double drawn = smallest * Math.pow(1 - random.nextDouble(), -1 / SHAPE);
        return (int) Math.min(MAX_OBJECTS, Math.floor(drawn + random.nextDouble()));
    }
}
