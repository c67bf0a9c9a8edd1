package dev.komainu.organizer.front;

import dev.komainu.intermediary.purge.PurgePropagation;
import dev.komainu.intermediary.purge.PurgeRefusal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** Who has carried out one order, until its giver is answered. On the loop of purges. */
final class PurgeAcknowledgements {

    private final CompletableFuture<PurgePropagation.Acknowledgements> told;
    private final TreeSet<String> waiting = new TreeSet<>();
    private final TreeSet<String> done = new TreeSet<>();
    private final TreeSet<String> missing = new TreeSet<>();
    private final Map<String, PurgeRefusal> refused = new HashMap<>();

    PurgeAcknowledgements(CompletableFuture<PurgePropagation.Acknowledgements> told) {
        this.told = told;
    }

    void awaits(String member) {
        waiting.add(member);
    }

    void did(String member, boolean carriedOut) {
        if (waiting.remove(member)) {
            (carriedOut ? done : missing).add(member);
        }
        look();
    }

    void refused(String member, PurgeRefusal why) {
        if (waiting.remove(member)) {
            refused.put(member, why);
        }
        look();
    }

    /** Nobody more is awaited than those that were named. */
    void look() {
        if (waiting.isEmpty()) {
            close();
        }
    }

    /** Who has not done it until now is missing. */
    void close() {
        missing.addAll(waiting);
        told.complete(new PurgePropagation.Acknowledgements(
                List.copyOf(done), List.copyOf(missing), refused));
    }
}
