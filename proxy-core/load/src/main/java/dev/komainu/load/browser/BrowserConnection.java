package dev.komainu.load.browser;

/**
 * One connection of a browser. It tells its {@link Browser} what comes of what it is asked. On the
 * browser's loop.
 */
interface BrowserConnection {

    /** Begins to connect. */
    void open();

    /** Whether it will be able to. */
    boolean isConnecting();

    /** Whether it can take one more now; false while it connects. */
    boolean hasRoom();

    /** @param ask told to the browser as answered or failed, unless it is given up before */
    void ask(BrowserRequest ask);

    /** The visitor does not wait for it any more. */
    void giveUp(BrowserRequest ask);

    void close();
}
