package dev.komainu.load.browser;

/**
 * A page being viewed, with the number of its objects still without an outcome. Used on its
 * browser's event loop.
 */
final class PageView {

    final BrowserPage page;
    final Runnable done;
    int remaining;

    PageView(BrowserPage page, Runnable done) {
        this.page = page;
        this.done = done;
        this.remaining = page.objects();
    }
}
