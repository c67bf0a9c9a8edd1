package dev.komainu.load.browser;

import io.netty.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;

/** One wish under way. On its browser's loop. */
final class Ask {

    final String path;
    final long wishedNanos;
    /** The page it belongs to. */
    final Viewing viewing;

    @Nullable
    ScheduledFuture<?> patience;

    /** The line that carries it; absent while it waits. */
    @Nullable
    Line line;

    /** A connection was made for it. */
    boolean connected;

    boolean over;

    Ask(String path, long wishedNanos, Viewing viewing) {
        this.path = path;
        this.wishedNanos = wishedNanos;
        this.viewing = viewing;
    }
}
