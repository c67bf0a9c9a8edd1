package dev.komainu.proxy.disk;

import dev.komainu.proxy.cache.StoredResponse;

/** A response that waits to be written, retained until then. */
final class PendingWrite {

    /** The outcome of the wait. */
    enum Outcome {
        KEPT,
        SOFTENED,
        CANCELLED
    }

    final StoredResponse response;
    final int weight;
    // Guarded by this.
    private Outcome outcome = Outcome.KEPT;
    private boolean finished;

    /**
     * Creates a pending write.
     *
     * @param response retained by the caller on behalf of this
     */
    PendingWrite(StoredResponse response) {
        this.response = response;
        this.weight = response.weight();
    }

    /**
     * Cancels the write. Returns false when it is already done: the caller must then check the
     * index.
     */
    synchronized boolean cancel() {
        outcome = finished ? outcome : Outcome.CANCELLED;
        return !finished;
    }

    /** Makes the response stale. Returns false when it is already written. */
    synchronized boolean soften() {
        outcome = finished || outcome == Outcome.CANCELLED ? outcome : Outcome.SOFTENED;
        return !finished;
    }

    synchronized boolean isCancelled() {
        return outcome == Outcome.CANCELLED;
    }

    /** Marks the record as found in the index. Returns the outcome requested meanwhile. */
    synchronized Outcome finish() {
        finished = true;
        return outcome;
    }
}
