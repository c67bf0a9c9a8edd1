package dev.komainu.proxy.fetch;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.OriginFailure;
import dev.komainu.proxy.cache.StoredResponse;
import io.netty.channel.EventLoop;

/**
 * Somebody who waits for a fetch. Exactly one of filling, stored, restored, stale, released and
 * failed is told, on {@link #loop}.
 */
public interface FetchWaiter {

    EventLoop loop();

    /** The waiting request, detached: it is judged by whom it waits for. Any thread. */
    RequestHead request();

    /**
     * Whether it needs to be told nothing more: a part was all it wanted, or its client left. Any
     * thread.
     */
    default boolean isOver() {
        return false;
    }

    /**
     * The object is arriving: serve it from here. One reference of the fill passes to the waiter.
     */
    void filling(CacheFill fill);

    /**
     * More of the fill is there, or it is complete, or broken. May be told after the waiter let go:
     * ignore then.
     */
    void grown();

    /**
     * The whole object is stored.
     *
     * @param validated the origin confirmed what was stored before
     */
    void stored(StoredResponse response, boolean validated);

    /**
     * It was found on the disk and lies in memory again: look again, or take it from here.
     *
     * @param response held for the waiter, who lets it go
     */
    default void restored(StoredResponse response) {
        response.releaseRetained();
        released();
    }

    /**
     * No good answer could be had, and what is stored may stand in for it though stale (RFC 9111
     * section 4.2.4).
     *
     * @param originStatus what the origin said; 0 when it could not be reached
     */
    void stale(StoredResponse response, int originStatus);

    /** The answer is not for sharing, or not for this request: look again, alone. */
    void released();

    void failed(OriginFailure failure);
}
