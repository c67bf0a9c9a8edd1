package dev.komainu.intermediary.connection;

/** A listener of one loop's connections to origins. On that loop. */
public interface OriginConnectionListener {

    /** A listener that does nothing. */
    OriginConnectionListener NONE = new OriginConnectionListener() {
        @Override
        public void onOpening() {}

        @Override
        public void onClosed() {}

        @Override
        public void onIdle() {}
    };

    /** Called when a connection is being opened. */
    void onOpening();

    /** Called when a connection has closed, or could not be opened. */
    void onClosed();

    /** Called when a connection has become idle. */
    void onIdle();
}
