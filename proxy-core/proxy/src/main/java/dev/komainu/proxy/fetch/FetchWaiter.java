package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.OriginFailure;
import dev.komainu.proxy.cache.StoredResponse;
import io.netty.channel.EventLoop;

/**
 * An exchange that waits for a fetch. Exactly one of {@link #filling}, {@link #stored},
 * {@link #restored}, {@link #stale}, {@link #released} and {@link #failed} is called, on
 * {@link #loop}.
 */
public interface FetchWaiter {

    EventLoop loop();

    /**
     * Returns the waiting request, detached. The fetch decides by it whether its response suits
     * this waiter. Any thread.
     */
    RequestHead request();

    /**
     * Reports whether the waiter needs no further notification: it needed only a part, or its
     * client left. Any thread.
     */
    default boolean isOver() {
        return false;
    }

    /** Receives an object that is arriving. One reference of the fill passes to the waiter. */
    void filling(CacheFill fill);

    /**
     * Signals that the fill has grown, is complete, or is broken. May be called after the waiter
     * released the fill; the waiter ignores the call then.
     */
    void grown();

    /**
     * Receives the stored object.
     *
     * @param validated whether the origin validated a response that was stored before
     */
    void stored(StoredResponse response, boolean validated);

    /**
     * Receives an object that was read from the disk into memory. The waiter uses it or repeats its
     * lookup.
     *
     * @param response retained for the waiter, which releases it
     */
    default void restored(StoredResponse response) {
        response.releaseRetained();
        released();
    }

    /**
     * Receives a stale response to serve because the fetch failed (RFC 9111 section 4.2.4).
     *
     * @param originStatus the status of the origin's response; 0 when it could not be reached
     */
    void stale(StoredResponse response, int originStatus);

    /**
     * Releases the waiter: the response cannot be shared, or does not suit this request. The waiter
     * repeats its lookup, alone.
     */
    void released();

    void failed(OriginFailure failure);
}
