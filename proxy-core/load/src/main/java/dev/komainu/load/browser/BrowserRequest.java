package dev.komainu.load.browser;

import io.netty.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;

/** A request of a browser. Used on its browser's event loop. */
final class BrowserRequest {

    final String path;
    final long dueNanos;
    /** The page that the object belongs to. */
    final PageView view;

    @Nullable
    ScheduledFuture<?> timeout;

    /** The connection in use; null while the request waits. */
    @Nullable
    BrowserConnection connection;

    /** True when a connection was opened for this request. */
    boolean connected;

    boolean finished;

    BrowserRequest(String path, long dueNanos, PageView view) {
        this.path = path;
        this.dueNanos = dueNanos;
        this.view = view;
    }
}
