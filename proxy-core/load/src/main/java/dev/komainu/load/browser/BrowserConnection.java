package dev.komainu.load.browser;

/**
 * One connection of a browser, which reports the outcome of each request to its {@link Browser}.
 * Used on the browser's event loop.
 */
interface BrowserConnection {

    /** Starts to connect. */
    void open();

    /** Reports whether the connection is being established. */
    boolean isConnecting();

    /** Reports whether the connection can take one more request now; false while it connects. */
    boolean hasRoom();

    /**
     * Sends a request. The browser receives its response or failure, unless the request is
     * cancelled before.
     */
    void send(BrowserRequest request);

    /** Cancels a request that has timed out. */
    void cancel(BrowserRequest request);

    void close();
}
