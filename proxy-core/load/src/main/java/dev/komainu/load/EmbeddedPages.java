package dev.komainu.load;

import dev.komainu.load.browser.BrowserPage;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Pages made of objects: a document and a number of embedded ones drawn from SURGE's Pareto
 * distribution (α 2.43; Barford and Crovella 1998, table 1), scaled to the mean asked for. Many
 * pages then hold little and a few hold much, as pages do.
 *
 * @param objects where all of them are drawn from
 * @param mean embedded objects of a page, 0 or more
 */
record EmbeddedPages(RequestSource objects, double mean, RandomGenerator random)
        implements PageRequestSource {

    private static final double SHAPE = 2.43;
    /** More than that no page has here: one draw must not be a load of its own. */
    private static final int MOST = 200;

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

    /** Rounded by chance, so that the mean is kept whatever its fraction. */
    private int count() {
        if (mean <= 0) {
            return 0;
        }
        double smallest = mean * (SHAPE - 1) / SHAPE;
        double drawn = smallest * Math.pow(1 - random.nextDouble(), -1 / SHAPE);
        return (int) Math.min(MOST, Math.floor(drawn + random.nextDouble()));
    }
}
