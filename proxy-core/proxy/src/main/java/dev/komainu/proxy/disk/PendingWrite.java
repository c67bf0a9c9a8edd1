package dev.komainu.proxy.disk;

import dev.komainu.proxy.cache.StoredResponse;

/** An answer that waits to be written, held until it is. */
final class PendingWrite {

    /** How its wait ended. */
    enum End {
        KEPT,
        SOFTENED,
        CANCELLED
    }

    final StoredResponse response;
    final int weight;
    // Guarded by this.
    private End end = End.KEPT;
    private boolean over;

    /** @param response held by the caller, on behalf of this */
    PendingWrite(StoredResponse response) {
        this.response = response;
        this.weight = response.weight();
    }

    /**
     * It must not be found on the disk. @return false when it is there already: look into the index
     */
    synchronized boolean cancel() {
        end = over ? end : End.CANCELLED;
        return !over;
    }

    /** It is stale from now on. @return false when it is written already */
    synchronized boolean soften() {
        end = over || end == End.CANCELLED ? end : End.SOFTENED;
        return !over;
    }

    synchronized boolean isCancelled() {
        return end == End.CANCELLED;
    }

    /** It can be found in the index now. @return what was ordered meanwhile */
    synchronized End finish() {
        over = true;
        return end;
    }
}
