package dev.komainu.intermediary.upstream;

/** The listener of one request to an origin: it receives a connection first, then the response. */
public interface OriginListener extends ResponseListener {

    /**
     * Reports whether the response is still needed. The pool checks it before it gives a connection
     * to a request that waited for one.
     */
    default boolean isNeeded() {
        return true;
    }

    /** Receives the connection; writes the request now. */
    void connected(OriginConnection connection);
}
