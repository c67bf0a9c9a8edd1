package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.OriginConnectionListener;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/**
 * The eviction of one loop's longest idle connections while new clients wait for admission. It
 * closes one in each turn of the loop, so that a waiting client is notified before the next
 * connection closes.
 *
 * <p>A connection that still accepts its last response declines, and counts as idle from then on.
 * It is tried again after a delay: not at once, and only once for all times that it declined.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the task runs on its loop
public final class IdleEviction implements OriginConnectionListener {

    /** The delay until connections that declined are tried again. */
    static final long DECLINED_MILLIS = 10;

    private final EventLoop loop;
    private final IdleLoop idle;
    private final Reclamation reclamation;
    private final ClientCounts counts;
    private boolean isRunning;

    public IdleEviction(
            EventLoop loop, IdleLoop idle, Reclamation reclamation, ClientCounts counts) {
        this.loop = loop;
        this.idle = idle;
        this.reclamation = reclamation;
        this.counts = counts;
    }

    /**
     * Starts the eviction unless it runs: a client became idle or has sent nothing yet, or a new
     * client waits.
     */
    public void begin() {
        if (!isRunning && reclamation.isQueued()) {
            isRunning = true;
            loop.execute(this::evict);
        }
    }

    @Override
    public void onIdle() {
        if (counts.ofBothSides()) {
            begin();
        }
    }

    @Override
    public void onOpening() {
        counts.originOpens();
    }

    @Override
    public void onClosed() {
        counts.originCloses();
    }

    private void evict() {
        boolean closed = reclamation.isQueued() && reclamation.closeOldest(idle);
        isRunning = reclamation.isQueued() && reclamation.hasIdle(idle);
        if (isRunning && closed) {
            loop.execute(this::evict);
        } else if (isRunning) {
            loop.schedule(this::evict, DECLINED_MILLIS, TimeUnit.MILLISECONDS);
        }
    }
}
