package dev.komainu.intermediary.purge;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** How an order reaches the other members of the cluster. Any thread; returns at once. */
@FunctionalInterface
public interface PurgePropagation {

    /**
     * Who has done it when the answer is given, after two seconds at most.
     *
     * @param done members that have carried it out
     * @param missing members that have not yet: they hear of it when they can be reached again
     * @param refused members that do not, and why; this member itself: nobody was told
     */
    record Acknowledgements(List<String> done, List<String> missing, Map<String, PurgeRefusal> refused) {

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

        /** It is carried out here: the others are told. */
        CompletableFuture<Acknowledgements> propagate();
    }

    /**
     * To be called before anything is dropped: so nobody brings back what is to go from a member
     * that does not know yet.
     */
    StartedOrder begin(PurgeOrder order);
}
