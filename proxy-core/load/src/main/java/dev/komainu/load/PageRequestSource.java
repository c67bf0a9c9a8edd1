package dev.komainu.load;

import dev.komainu.load.browser.BrowserPage;

/**
 * Which page is looked at next. Safe for all threads where it is handed out; what draws it need not
 * be.
 */
@FunctionalInterface
interface PageRequestSource {

    /** @param second instant of the wish since the start of the load */
    BrowserPage next(double second);

    /** The same behind a lock: a drawing takes a microsecond, and several loops ask. */
    static PageRequestSource shared(PageRequestSource one) {
        Object lock = new Object();
        return second -> {
            synchronized (lock) {
                return one.next(second);
            }
        };
    }
}
