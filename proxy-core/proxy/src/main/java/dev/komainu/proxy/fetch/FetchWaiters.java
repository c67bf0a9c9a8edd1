package dev.komainu.proxy.fetch;

import dev.komainu.proxy.cache.StoredResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for one fetch. Its door is open until the fetch is concluded; from the moment a
 * fill can be read, who enters begins to read at once. Exchanges of any loop enter; everybody is
 * told on a loop of their own.
 */
final class FetchWaiters {

    // Guarded by this.
    private final List<FetchWaiter> waiters = new ArrayList<>(0);
    private boolean open = true;
    private @Nullable FillStore coming;

    /** @return false when it is too late, or what comes does not suit: look the key up again */
    synchronized boolean enter(FetchWaiter waiter, FetchPlan plan) {
        if (!open) {
            return false;
        }
        FillStore begun = coming;
        if (begun != null) {
            if (!begun.suits(waiter, plan)) {
                return false;
            }
            if (begun.isReadable()) {
                read(waiter, begun);
            }
        }
        waiters.add(waiter);
        return true;
    }

    private static void read(FetchWaiter waiter, FillStore begun) {
        begun.fill().retain();
        tell(waiter, w -> w.filling(begun.fill()));
    }

    synchronized boolean isEmpty() {
        return waiters.isEmpty();
    }

    /**
     * The head is here. Whom it does not suit looks again; the others read at once, or when the
     * whole is there.
     */
    void announce(FillStore begun, FetchPlan plan) {
        List<FetchWaiter> others = new ArrayList<>();
        synchronized (this) {
            coming = begun;
            waiters.removeIf(waiter -> {
                boolean suits = begun.suits(waiter, plan);
                if (!suits) {
                    others.add(waiter);
                } else if (begun.isReadable()) {
                    read(waiter, begun);
                }
                return !suits;
            });
        }
        others.forEach(waiter -> tell(waiter, FetchWaiter::released));
    }

    synchronized void grown() {
        if (coming != null && coming.isReadable()) {
            waiters.removeIf(FetchWaiter::isOver);
            for (FetchWaiter waiter : waiters) {
                tell(waiter, FetchWaiter::grown);
            }
        }
    }

    /** Closes the door. @return who was inside */
    synchronized List<FetchWaiter> close() {
        open = false;
        List<FetchWaiter> all = List.copyOf(waiters);
        waiters.clear();
        return all;
    }

    /** Closes the door and tells all. */
    void tell(Consumer<FetchWaiter> what) {
        for (FetchWaiter waiter : close()) {
            tell(waiter, what);
        }
    }

    /**
     * Those who read the fill see its end there; those who waited for the whole get it now.
     *
     * @param response null when there is none that others may use
     */
    void ended(
            List<FetchWaiter> all,
            FillStore filled,
            @Nullable StoredResponse response,
            FetchPlan plan) {
        for (FetchWaiter waiter : all) {
            if (filled.isReadable()) {
                tell(waiter, FetchWaiter::grown);
            } else if (response != null && filled.suits(waiter, plan)) {
                tell(waiter, w -> w.stored(response, false));
            } else {
                tell(waiter, FetchWaiter::released);
            }
        }
    }

    static void tell(FetchWaiter waiter, Consumer<FetchWaiter> what) {
        try {
            waiter.loop().execute(() -> what.accept(waiter));
        } catch (RejectedExecutionException ended) {
            // The proxy is stopping, and that loop's clients are gone already.
        }
    }
}
