package dev.komainu.proxy.fetch;

import dev.komainu.proxy.cache.StoredResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for one fetch. Its door is open until the fetch is concluded; from the moment a fill is published, who
 * enters begins to read at once. Exchanges of any loop enter; everybody is told on a loop of their own.
 */
final class WaitingRoom {

    // Guarded by this.
    private final List<FetchWaiter> waiters = new ArrayList<>(0);
    private boolean open = true;
    private @Nullable FillStore published;

    /** @return false when it is too late, or what comes does not suit: look the key up again */
    synchronized boolean enter(FetchWaiter waiter, FetchPlan plan) {
        if (!open) {
            return false;
        }
        FillStore begun = published;
        if (begun != null) {
            if (!begun.suits(waiter, plan)) {
                return false;
            }
            begun.fill().retain();
            Fill shared = begun.fill();
            tell(waiter, w -> w.filling(shared));
        }
        waiters.add(waiter);
        return true;
    }

    synchronized boolean isEmpty() {
        return waiters.isEmpty();
    }

    /** Everybody may read now; whom this answer does not suit looks again. */
    void publish(FillStore begun, FetchPlan plan) {
        List<FetchWaiter> others = new ArrayList<>();
        synchronized (this) {
            published = begun;
            waiters.removeIf(waiter -> {
                boolean suits = begun.suits(waiter, plan);
                if (suits) {
                    begun.fill().retain();
                    tell(waiter, w -> w.filling(begun.fill()));
                } else {
                    others.add(waiter);
                }
                return !suits;
            });
        }
        others.forEach(waiter -> tell(waiter, FetchWaiter::released));
    }

    synchronized void grown() {
        if (published != null) {
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
    void ended(List<FetchWaiter> all, FillStore filled, @Nullable StoredResponse response, FetchPlan plan) {
        boolean reading;
        synchronized (this) {
            reading = published != null;
        }
        for (FetchWaiter waiter : all) {
            if (reading) {
                tell(waiter, FetchWaiter::grown);
            } else if (response != null && filled.suits(waiter, plan)) {
                tell(waiter, w -> w.stored(response, false));
            } else {
                tell(waiter, FetchWaiter::released);
            }
        }
    }

    static void tell(FetchWaiter waiter, Consumer<FetchWaiter> what) {
        waiter.loop().execute(() -> what.accept(waiter));
    }
}
