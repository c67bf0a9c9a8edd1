package dev.komainu.load;

import dev.komainu.load.browser.BrowserPage;

/**
 * The source of the next page that a visitor views. Thread-safe in the form in which it is shared;
 * an implementation need not be.
 */
@FunctionalInterface
interface PageRequestSource {

    /**
     * Returns the next page.
     *
     * @param second instant of the request since the start of the load
     */
    BrowserPage next(double second);

    /**
     * Returns the same source behind a lock: a draw takes a microsecond, and several event loops
     * call it.
     */
    static PageRequestSource shared(PageRequestSource source) {
        Object lock = new Object();
        return second -> {
            synchronized (lock) {
                return source.next(second);
            }
        };
    }
}
