package dev.komainu.organizer.front;

import dev.komainu.intermediary.purge.PurgePropagation;
import dev.komainu.intermediary.purge.PurgeRefusal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * The acknowledgements of one purge order, until its issuer receives the result. Used on the loop
 * of purges.
 */
final class PurgeAcknowledgements {

    private final CompletableFuture<PurgePropagation.Acknowledgements> result;
    private final TreeSet<String> waiting = new TreeSet<>();
    private final TreeSet<String> done = new TreeSet<>();
    private final TreeSet<String> missing = new TreeSet<>();
    private final Map<String, PurgeRefusal> refused = new HashMap<>();

    PurgeAcknowledgements(CompletableFuture<PurgePropagation.Acknowledgements> result) {
        this.result = result;
    }

    void expect(String member) {
        waiting.add(member);
    }

    void acknowledge(String member, boolean carriedOut) {
        if (waiting.remove(member)) {
            (carriedOut ? done : missing).add(member);
        }
        completeIfDone();
    }

    void refused(String member, PurgeRefusal reason) {
        if (waiting.remove(member)) {
            refused.put(member, reason);
        }
        completeIfDone();
    }

    /** Completes the result when no named member is outstanding. */
    void completeIfDone() {
        if (waiting.isEmpty()) {
            close();
        }
    }

    /** Completes the result; every member that has not acknowledged is missing. */
    void close() {
        missing.addAll(waiting);
        result.complete(new PurgePropagation.Acknowledgements(
                List.copyOf(done), List.copyOf(missing), refused));
    }
}
