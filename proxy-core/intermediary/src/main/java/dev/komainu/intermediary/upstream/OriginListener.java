package dev.komainu.intermediary.upstream;

/** What one request to an origin hears: of its connection first, then of its answer. */
public interface OriginListener extends ResponseListener {

    /**
     * Whether anybody still waits for the answer; asked before a connection is lent to a request
     * that queued for it.
     */
    default boolean isNeeded() {
        return true;
    }

    /** A connection is there: write the request now. */
    void connected(OriginConnection connection);
}
