package dev.komainu.intermediary.purge;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** The propagation of orders to the other members of the cluster. Any thread; returns at once. */
@FunctionalInterface
public interface PurgePropagation {

    /**
     * The members' acknowledgements of an order, after two seconds at most.
     *
     * @param done members that have carried it out
     * @param missing members that have not yet: they receive it when they can be reached again
     * @param refused members that do not carry it out, with the reason; if this member itself is
     *     one, the order was sent to no member
     */
    record Acknowledgements(
            List<String> done, List<String> missing, Map<String, PurgeRefusal> refused) {

        public Acknowledgements {
            done = List.copyOf(done);
            missing = List.copyOf(missing);
            refused = Collections.unmodifiableMap(new TreeMap<>(refused));
        }

        public Acknowledgements(List<String> done, List<String> missing) {
            this(done, missing, Map.of());
        }
    }

    /** An order that has begun here. */
    @FunctionalInterface
    interface StartedOrder {

        /** Sends the order to the other members. Called when it was carried out here. */
        CompletableFuture<Acknowledgements> propagate();
    }

    /**
     * Begins an order. Called before anything is dropped, so that no dropped object is fetched
     * again from a member that does not know the order yet.
     */
    StartedOrder begin(PurgeOrder order);
}
