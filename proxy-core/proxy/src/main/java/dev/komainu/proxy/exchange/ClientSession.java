package dev.komainu.proxy.exchange;

/** A client's connection of any protocol, as its {@link LoopContext} uses it. On its event loop. */
interface ClientSession {

    /** Sends the bytes that are written. */
    void flushNow();

    /**
     * Signals the start of the drain. Requests are still served; the client may already be
     * notified.
     */
    default void draining() {}

    /**
     * Closes the connection when it has no exchange; otherwise it closes after its responses.
     * Called at the end of the drain's grace period.
     */
    void closeIfIdle();
}
