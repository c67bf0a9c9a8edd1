package dev.komainu.proxy.exchange;

/**
 * A client's connection, whatever it speaks, as its {@link LoopContext} sees it. On its event loop.
 */
interface ClientSession {

    /** Sends what is written. */
    void flushNow();

    /**
     * The drain begins: requests are still served, the client may be told already that the end is
     * near.
     */
    default void draining() {}

    /**
     * The drain's last call is over: what has no exchange closes, the rest closes after its
     * answers.
     */
    void closeIfIdle();
}
