package dev.komainu.load.browser;

/** One page being looked at: how many of its objects are still to come. On its browser's loop. */
final class Viewing {

    final Page page;
    final Runnable done;
    int left;

    Viewing(Page page, Runnable done) {
        this.page = page;
        this.done = done;
        this.left = page.objects();
    }
}
