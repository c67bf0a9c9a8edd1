package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.OriginConnectionListener;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/**
 * Lets one loop's connections that are idle for longest give their places while newcomers wait for
 * one: one in each turn of the loop, so that whom a place is offered to hears of it before the next
 * is given.
 *
 * <p>Who declines, because it still takes its last answer, is idle anew by that. It is asked again
 * after a while: not at once, and not once more for each time it declined.
 */
public final class IdleEviction implements OriginConnectionListener {

    /** Until those who declined are asked again. */
    static final long DECLINED_MILLIS = 10;

    private final EventLoop loop;
    private final IdleLoop idle;
    private final Reclamation reclamation;
    private final ClientCounts counts;
    private boolean isUnderWay;

    public IdleEviction(
            EventLoop loop, IdleLoop idle, Reclamation reclamation, ClientCounts counts) {
        this.loop = loop;
        this.idle = idle;
        this.reclamation = reclamation;
        this.counts = counts;
    }

    /**
     * A client is idle from now on, or has said nothing yet, or somebody waits from now on: looks
     * whether one is to go, unless it does.
     */
    public void begin() {
        if (!isUnderWay && reclamation.isQueued()) {
            isUnderWay = true;
            loop.execute(this::give);
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

    private void give() {
        boolean closed = reclamation.isQueued() && reclamation.closeOldest(idle);
        isUnderWay = reclamation.isQueued() && reclamation.hasIdle(idle);
        if (isUnderWay && closed) {
            loop.execute(this::give);
        } else if (isUnderWay) {
            loop.schedule(this::give, DECLINED_MILLIS, TimeUnit.MILLISECONDS);
        }
    }
}
