package dev.komainu.intermediary.connection;

/**
 * Whether an upload comes fast enough: while the proxy listens for it, so many bytes a second at
 * least, over each window. A client that drips would otherwise hold a connection, and an origin's
 * too, for as long as it likes; the idle time-out begins anew with each byte.
 *
 * <p>The window ends in the list's sweep, so a slow one is noticed up to a sweep late. What the
 * proxy itself does not take (the origin is slower than the client) is no fault of the client:
 * {@link #pause}. One event loop owns it.
 */
public abstract class BodyPace extends DeadlineList.Entry {

    private DeadlineList windows;
    private long leastBytes;
    private long receivedBytes;

    /**
     * @param windows the loop's list of such windows
     * @param leastBytes that must come in each window; 0 lets any pace pass
     */
    protected BodyPace(DeadlineList windows, long leastBytes) {
        this.windows = windows;
        this.leastBytes = leastBytes;
    }

    /** Another body begins, whose pace is judged so. Nothing is watched at this moment. */
    public final void setLimit(DeadlineList windows, long leastBytes) {
        this.windows = windows;
        this.leastBytes = leastBytes;
    }

    /** It was too slow; it is watched no longer. */
    protected abstract void tooSlow();

    /** Bytes of the body came, or may come from now on (0). Opens a window when none is open. */
    public final void received(int bytes, long nowNanos) {
        receivedBytes += bytes;
        if (leastBytes > 0 && !isWaiting()) {
            receivedBytes = 0;
            windows.append(this, nowNanos);
        }
    }

    /** Nothing is asked of the client for a while, or for good. */
    public final void pause() {
        DeadlineList.remove(this);
    }

    @Override
    protected final void expired() {
        if (receivedBytes < leastBytes) {
            tooSlow();
        } else {
            received(0, System.nanoTime());
        }
    }
}
