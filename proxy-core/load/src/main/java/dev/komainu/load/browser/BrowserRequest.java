package dev.komainu.load.browser;

import io.netty.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;

/** One wish under way. On its browser's loop. */
final class BrowserRequest {

    final String path;
    final long wishedNanos;
    /** The page it belongs to. */
    final PageView viewing;

    @Nullable
    ScheduledFuture<?> patience;

    /** The line that carries it; absent while it waits. */
    @Nullable
    BrowserConnection line;

    /** A connection was made for it. */
    boolean connected;

    boolean over;

    BrowserRequest(String path, long wishedNanos, PageView viewing) {
        this.path = path;
        this.wishedNanos = wishedNanos;
        this.viewing = viewing;
    }
}
