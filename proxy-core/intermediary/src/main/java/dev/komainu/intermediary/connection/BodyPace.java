package dev.komainu.intermediary.connection;

/**
 * A monitor of the rate at which a body arrives: a least number of bytes in each window while the
 * proxy reads. Without it, a client that sends slowly would occupy a connection, and one to an
 * origin too, for any time: the idle timeout restarts with each byte.
 *
 * <p>The window ends in the list's sweep, so a slow body is noticed up to one sweep late. When the
 * proxy itself does not read (the origin is slower than the client), the client is not at fault:
 * {@link #pause}. One event loop owns it.
 */
public abstract class BodyPace extends DeadlineList.Entry {

    private DeadlineList windows;
    private long leastBytes;
    private long receivedBytes;

    /**
     * Creates a monitor that watches nothing yet.
     *
     * @param windows the loop's list of such windows
     * @param leastBytes that must arrive in each window; 0 permits any pace
     */
    protected BodyPace(DeadlineList windows, long leastBytes) {
        this.windows = windows;
        this.leastBytes = leastBytes;
    }

    /** Sets the limit of the next body. Called while nothing is watched. */
    public final void setLimit(DeadlineList windows, long leastBytes) {
        this.windows = windows;
        this.leastBytes = leastBytes;
    }

    /** Called when a body was too slow; it is no longer watched. */
    protected abstract void tooSlow();

    /** Records body bytes that arrived; 0 when reading begins. Opens a window when none is open. */
    public final void received(int bytes, long nowNanos) {
        receivedBytes += bytes;
        if (leastBytes > 0 && !isWaiting()) {
            receivedBytes = 0;
            windows.append(this, nowNanos);
        }
    }

    /** Stops watching: nothing is read from the peer for a while, or for good. */
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
