package dev.komainu.intermediary.connection;

/** Hears of one loop's connections to origins. On that loop. */
public interface OriginConnectionListener {

    /** Nobody counts them. */
    OriginConnectionListener NONE = new OriginConnectionListener() {
        @Override
        public void onOpening() {}

        @Override
        public void onClosed() {}

        @Override
        public void onIdle() {}
    };

    /** One is being opened. */
    void onOpening();

    /** One is gone, or never came to be. */
    void onClosed();

    /** One is idle. */
    void onIdle();
}
