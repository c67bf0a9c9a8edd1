package dev.komainu.load;

import dev.komainu.load.browser.Page;

/** Which page is looked at next. Safe for all threads where it is handed out; what draws it need not be. */
@FunctionalInterface
interface PageWishes {

    /** @param second instant of the wish since the start of the load */
    Page next(double second);

    /** The same behind a lock: a drawing takes a microsecond, and several loops ask. */
    static PageWishes shared(PageWishes one) {
        Object lock = new Object();
        return second -> {
            synchronized (lock) {
                return one.next(second);
            }
        };
    }
}
