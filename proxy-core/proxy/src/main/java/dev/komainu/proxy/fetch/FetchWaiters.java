package dev.komainu.proxy.fetch;

import dev.komainu.proxy.cache.StoredResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of one fetch. It accepts waiters until the fetch is concluded. A waiter that arrives
 * when a fill is readable starts to read at once. Exchanges of any loop can wait; each is notified
 * on its own loop.
 */
final class FetchWaiters {

    // Guarded by this.
    private final List<FetchWaiter> waiters = new ArrayList<>(0);
    private boolean open = true;
    private @Nullable FillStore store;

    /**
     * Adds a waiter.
     *
     * @return false when the fetch is concluded, or its response does not suit; the caller repeats
     *     its lookup
     */
    synchronized boolean add(FetchWaiter waiter, FetchPlan plan) {
        if (!open) {
            return false;
        }
        FillStore current = store;
        if (current != null) {
            if (!current.suits(waiter, plan)) {
                return false;
            }
            if (current.isReadable()) {
                read(waiter, current);
            }
        }
        waiters.add(waiter);
        return true;
    }

    private static void read(FetchWaiter waiter, FillStore current) {
        current.fill().retain();
        dispatch(waiter, w -> w.filling(current.fill()));
    }

    synchronized boolean isEmpty() {
        return waiters.isEmpty();
    }

    /**
     * Publishes the store after the head has arrived. Waiters that it does not suit are released.
     * The others read at once, or get the whole when it is complete.
     */
    void announce(FillStore current, FetchPlan plan) {
        List<FetchWaiter> unsuited = new ArrayList<>();
        synchronized (this) {
            store = current;
            waiters.removeIf(waiter -> {
                boolean suits = current.suits(waiter, plan);
                if (!suits) {
                    unsuited.add(waiter);
                } else if (current.isReadable()) {
                    read(waiter, current);
                }
                return !suits;
            });
        }
        unsuited.forEach(waiter -> dispatch(waiter, FetchWaiter::released));
    }

    synchronized void grown() {
        if (store != null && store.isReadable()) {
            waiters.removeIf(FetchWaiter::isOver);
            for (FetchWaiter waiter : waiters) {
                dispatch(waiter, FetchWaiter::grown);
            }
        }
    }

    /**
     * Stops accepting waiters.
     *
     * @return all waiters
     */
    synchronized List<FetchWaiter> close() {
        open = false;
        List<FetchWaiter> all = List.copyOf(waiters);
        waiters.clear();
        return all;
    }

    /** Stops accepting waiters and notifies all of them. */
    void concludeAll(Consumer<FetchWaiter> event) {
        for (FetchWaiter waiter : close()) {
            dispatch(waiter, event);
        }
    }

    /**
     * Notifies all waiters of the end. Readers of the fill see its end there; the others get the
     * whole response.
     *
     * @param response null when there is none that other clients may use
     */
    void ended(
            List<FetchWaiter> all,
            FillStore filled,
            @Nullable StoredResponse response,
            FetchPlan plan) {
        for (FetchWaiter waiter : all) {
            if (filled.isReadable()) {
                dispatch(waiter, FetchWaiter::grown);
            } else if (response != null && filled.suits(waiter, plan)) {
                dispatch(waiter, w -> w.stored(response, false));
            } else {
                dispatch(waiter, FetchWaiter::released);
            }
        }
    }

    static void dispatch(FetchWaiter waiter, Consumer<FetchWaiter> event) {
        try {
            waiter.loop().execute(() -> event.accept(waiter));
        } catch (RejectedExecutionException ended) {
            // The proxy is stopping, and that loop's clients are gone already.
        }
    }
}
