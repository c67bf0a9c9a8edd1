package dev.komainu.load.browser;

/** One page being looked at: how many of its objects are still to come. On its browser's loop. */
final class PageView {

    final BrowserPage page;
    final Runnable done;
    int left;

    PageView(BrowserPage page, Runnable done) {
        this.page = page;
        this.done = done;
        this.left = page.objects();
    }
}
